import { z } from 'zod';
import { type JournalEntry, numberEntries } from '../../domain/journal/journal.ts';
import { givesOrders } from '../../domain/learnings/learning.ts';
import type { Feature } from '../../domain/tasks/feature.ts';
import type { NumberedTry } from '../../domain/tasks/tries.ts';
import { readJournal } from '../../project/journal/journal.ts';
import { featureLearnings, type Learning } from '../../queue/learnings/learnings.ts';
import { type FeatureProgress, featureDetails, featureProgress } from '../../queue/tasks/features.ts';
import { findTitles } from '../../queue/tasks/list.ts';
import { flag } from '../fields.ts';
import { defineView } from '../view.ts';

type FeatureRow = FeatureProgress & Pick<Feature, 'name' | 'display_name' | 'status'>;

/** How much the project knows about each feature; `project` counts what belongs to no feature. */
export type KnowledgeView = { features: readonly FeatureRow[]; project: FeatureProgress };

export const knowledge = defineView({
  path: '/api/knowledge',
  input: z.strictObject({}),
  read: async ({ queue }): Promise<KnowledgeView> => {
    const { features, project } = await featureProgress(queue);
    return {
      features: features.map(({ feature: { name, display_name, status }, ...known }) => ({
        name,
        display_name,
        status,
        ...known,
      })),
      project,
    };
  },
});

const MAX_ENTRIES = 20;

export type JournalView = {
  /** Newest first. */
  entries: readonly NumberedTry<JournalEntry>[];
  left_out: number;
  problems: readonly string[];
};

export const journal = defineView({
  path: '/api/journal',
  input: z.strictObject({ feature: z.string().optional() }),
  read: async ({ queue, root }, { feature = null }): Promise<JournalView> => {
    if (feature !== null) await featureDetails(queue, feature);
    const { entries, problems } = await readJournal(root, feature);
    const shown = numberEntries(entries.map(({ entry }) => entry)).slice(-MAX_ENTRIES);
    return {
      entries: shown.reverse(),
      left_out: entries.length - shown.length,
      problems: problems.slice(0, MAX_ENTRIES),
    };
  },
});

/** The most that a feature has in its prompts. Of a larger archive, the newest are shown. */
const MAX_LEARNINGS = 200;

export type ShownLearning = Learning & {
  /** The title of the task whose session learned it. */
  title: string | null;
  /** It reads like an instruction, so prompts say not to follow it. */
  gives_orders: boolean;
};

export type LearningsView = { learnings: readonly ShownLearning[]; active: number; archived: number };

export const learnings = defineView({
  path: '/api/learnings',
  input: z.strictObject({ feature: z.string().optional(), archived: flag }),
  read: async ({ queue }, { feature = null, archived }): Promise<LearningsView> => {
    const found = await featureLearnings(queue, feature, archived, MAX_LEARNINGS);
    const ids = found.learnings.flatMap(({ task_id }) => task_id ?? []);
    const titles = await findTitles(queue, [...new Set(ids)]);
    return {
      ...found,
      learnings: found.learnings.map((learning) => ({
        ...learning,
        title: titles.get(learning.task_id ?? 0) ?? null,
        gives_orders: givesOrders(learning.body),
      })),
    };
  },
});

/** The address that shows a learning among the others of its feature. */
export function learningHref({
  id,
  feature,
  archived,
}: Pick<Learning, 'id' | 'feature' | 'archived'>): string {
  const query = new URLSearchParams({
    ...(feature !== null && { feature }),
    ...(archived !== null && { archived: '1' }),
  });
  return `/knowledge?${query}#learning-${id}`;
}
