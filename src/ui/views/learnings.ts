import { z } from 'zod';
import { givesOrders } from '../../domain/learnings/learning.ts';
import { featureLearnings, type Learning } from '../../queue/learnings/learnings.ts';
import { findTitles } from '../../queue/tasks/list.ts';
import { flag } from '../fields.ts';
import { defineView } from '../view.ts';

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
