import { Refusal } from '../../domain/refusal.ts';
import {
  type ListedSession,
  latestSessions,
  type SessionFilter,
  sessionIdsStarting,
} from '../../store/sessions/session-list.ts';
import type { Queue } from '../queue.ts';
import { requireRun } from '../require-run.ts';
import { requireTask } from '../require-task.ts';

export type { ListedSession, SessionFilter };

export const listSessions = (
  queue: Queue,
  filter: SessionFilter,
  limit: number,
  /** The newest ones that are left out. */
  offset = 0,
): Promise<{ sessions: ListedSession[]; total: number }> =>
  queue.store.read(async (db) => {
    if (filter.run_id !== undefined) await requireRun(db, filter.run_id);
    if (filter.task_id !== undefined) await requireTask(db, filter.task_id);
    return latestSessions(db, filter, limit, offset);
  });

/** The id of the session that is called so: by its whole id, or by any beginning that only one has. */
export async function sessionIdOf(queue: Queue, name: string): Promise<string> {
  const found = /^[\w-]+$/.test(name) ? await queue.store.read((db) => sessionIdsStarting(db, name)) : [];
  const [first, second] = found;
  if (first === undefined)
    throw new Refusal(`There is no session "${name}"; ralph log lists those there were.`);
  // Sorted by id: one that is the name itself comes before those that only begin with it.
  if (second !== undefined && first !== name)
    throw new Refusal(`"${name}" is not unique: ${first} and ${second} begin so; give more of it.`);
  return first;
}
