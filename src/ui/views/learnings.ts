import { z } from 'zod';
import { givesOrders } from '../../domain/learnings/learning.ts';
import { type Learning, learningsOf } from '../../queue/learnings/learnings.ts';
import { titlesOf } from '../../queue/tasks/list.ts';
import { flag } from '../fields.ts';
import { defineView } from '../view.ts';

/** As many as a feature has in its prompts; of the archive the newest. */
const MAX_LEARNINGS = 200;

export type ShownLearning = Learning & {
  /** Of the task it was learned at. */
  title: string | null;
  /** It reads like an instruction, and is quoted in prompts. */
  gives_orders: boolean;
};

export type LearningsView = { learnings: readonly ShownLearning[]; active: number; archived: number };

export const learnings = defineView({
  path: '/api/learnings',
  input: z.strictObject({ feature: z.string().optional(), archived: flag }),
  read: async ({ queue }, { feature = null, archived }): Promise<LearningsView> => {
    const found = await learningsOf(queue, feature, archived, MAX_LEARNINGS);
    const ids = found.learnings.flatMap(({ task_id }) => task_id ?? []);
    const titles = await titlesOf(queue, [...new Set(ids)]);
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

/** Where on these pages it stands among the others of its feature. */
export function learningHref({
  id,
  feature,
  archived,
}: Pick<Learning, 'id' | 'feature' | 'archived'>): string {
  const where = new URLSearchParams({
    ...(feature !== null && { feature }),
    ...(archived !== null && { archived: '1' }),
  });
  return `/knowledge?${where}#learning-${id}`;
}
