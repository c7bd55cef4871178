import type { Task } from '../../domain/tasks/task.ts';

const NAMED = 3;

/** What was done to which tasks, in one sentence. Null for none. */
export function told(did: string, tasks: readonly Task[]): string | null {
  const [first] = tasks;
  if (first === undefined) return null;
  if (tasks.length === 1) return `${did} #${first.id} ${first.title}.`;
  const named = tasks.slice(0, NAMED).map(({ id }) => `#${id}`);
  const more = tasks.length - named.length;
  return `${did} ${tasks.length} tasks: ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}.`;
}
