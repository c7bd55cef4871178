import { plural } from '../text/text.ts';

const MAX_NAMED = 10;

/** "Task 7", or "Tasks 7, 8 and 12 more": bounded, for a sentence. */
export function nameTasks(tasks: readonly { id: number }[]): string {
  const ids = tasks.map(({ id }) => id).sort((a, b) => a - b);
  const named = ids.slice(0, MAX_NAMED).join(', ');
  const more = ids.length > MAX_NAMED ? ` and ${ids.length - MAX_NAMED} more` : '';
  return `${plural(ids.length, 'Task').replace(/^\d+ /, '')} ${named}${more}`;
}
