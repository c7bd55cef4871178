import { z } from 'zod';
import type { Task } from '../../domain/tasks/task.ts';
import { retry as retryTasks, skip as skipTasks } from '../../queue/tasks/decide.ts';
import { defineAction } from '../action.ts';
import { ids, text } from '../fields.ts';

export const retry = defineAction({
  name: 'retry',
  input: z.strictObject({ ids, note: text.default('') }),
  run: async ({ queue }, { ids: wanted, note }) => ({
    message: decidedMessage('Queued again', await retryTasks(queue, wanted, { note })) ?? '',
  }),
});

const MAX_NAMED = 3;

/** What was done to which tasks, in one sentence. Null for none. */
export function decidedMessage(did: string, tasks: readonly Task[]): string | null {
  const [first] = tasks;
  if (first === undefined) return null;
  if (tasks.length === 1) return `${did} #${first.id} ${first.title}.`;
  const named = tasks.slice(0, MAX_NAMED).map(({ id }) => `#${id}`);
  const more = tasks.length - named.length;
  return `${did} ${tasks.length} tasks: ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}.`;
}

export const skip = defineAction({
  name: 'skip',
  input: z.strictObject({ ids }),
  run: async ({ queue, config }, given) => {
    const { verify_feature: verify } = await config();
    return { message: decidedMessage('Skipped', await skipTasks(queue, given.ids, { verify })) ?? '' };
  },
});
