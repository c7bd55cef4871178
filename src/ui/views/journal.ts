import { z } from 'zod';
import type { JournalEntry } from '../../domain/journal/journal.ts';
import { readJournal } from '../../project/journal/journal.ts';
import { featureDetails } from '../../queue/tasks/features.ts';
import { defineView } from '../view.ts';

const MAX_ENTRIES = 20;

export type JournalView = {
  /** Newest first. */
  entries: readonly JournalEntry[];
  left_out: number;
  problems: readonly string[];
};

export const journal = defineView({
  path: '/api/journal',
  input: z.strictObject({ feature: z.string().optional() }),
  read: async ({ queue, root }, { feature = null }): Promise<JournalView> => {
    if (feature !== null) await featureDetails(queue, feature);
    const { entries, problems } = await readJournal(root, feature);
    const shown = entries.slice(-MAX_ENTRIES).map(({ entry }) => entry);
    return {
      entries: shown.reverse(),
      left_out: entries.length - shown.length,
      problems: problems.slice(0, MAX_ENTRIES),
    };
  },
});
