import { z } from 'zod';
import type { Task } from '../../domain/tasks/task.ts';
import { retry as retryTasks, skip as skipTasks } from '../../queue/tasks/decide.ts';
import { defineAction } from '../action.ts';
import { ids, text } from '../fields.ts';

export const retry = defineAction({
  name: 'retry',
  input: z.strictObject({ ids, note: text.default('') }),
  run: async ({ queue }, { ids: tasks, note }) => ({
    message: decidedMessage('Queued again', await retryTasks(queue, tasks, { note })) ?? '',
  }),
});

export const skip = defineAction({
  name: 'skip',
  input: z.strictObject({ ids }),
  run: async ({ queue, config }, { ids: tasks }) => {
    const { verify_feature: verify } = await config();
    return { message: decidedMessage('Skipped', await skipTasks(queue, tasks, { verify })) ?? '' };
  },
});

const MAX_NAMED = 3;

/** What was done to which tasks, in one sentence. Null for no tasks. */
export function decidedMessage(done: string, tasks: readonly Task[]): string | null {
  const [first] = tasks;
  if (first === undefined) return null;
  if (tasks.length === 1) return `${done} #${first.id} ${first.title}.`;
  const named = tasks.slice(0, MAX_NAMED).map(({ id }) => `#${id}`);
  const more = tasks.length - named.length;
  return `${done} ${tasks.length} tasks: ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}.`;
}
