// Sessions for lists and look-ups: the latest ones, by run or task, or by the beginning of their id.
import type { Session } from '../../domain/sessions/session.ts';
import type { Reader } from '../database.ts';
import { sessionFromRow } from './sessions.ts';

export type SessionFilter = { run_id?: number; task_id?: number; isOpen?: true };
export type ListedSession = Session & { title: string };

/** The newest sessions, oldest first, and the total of all that match. */
export async function latestSessions(
  db: Reader,
  { run_id, task_id, isOpen }: SessionFilter,
  limit: number,
  offset = 0,
): Promise<{ sessions: ListedSession[]; total: number }> {
  let query = db.selectFrom('sessions').innerJoin('tasks', 'tasks.id', 'sessions.task_id');
  if (run_id !== undefined) query = query.where('sessions.run_id', '=', run_id);
  if (task_id !== undefined) query = query.where('sessions.task_id', '=', task_id);
  if (isOpen) query = query.where('sessions.ended', 'is', null);
  const rows = await query
    .selectAll('sessions')
    .select('tasks.title')
    .orderBy('sessions.started', 'desc')
    .orderBy('sessions.id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();
  const { count } = await query
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  const sessions = rows.map(({ title, ...row }) => ({ ...sessionFromRow(row), title })).reverse();
  return { sessions, total: Number(count) };
}

/** At most two: the caller needs exactly one, and a second shows that the prefix is ambiguous. */
export async function sessionIdsStarting(db: Reader, prefix: string): Promise<string[]> {
  const rows = await db
    .selectFrom('sessions')
    .select('id')
    .where('id', '>=', prefix)
    // Ids are ASCII without `~`, so this bound follows every id with the prefix.
    .where('id', '<', `${prefix}~`)
    .orderBy('id')
    .limit(2)
    .execute();
  return rows.map(({ id }) => id);
}

/** Those of the ids whose sessions ended after this time. */
export async function endedSince(db: Reader, ids: readonly string[], since: number): Promise<string[]> {
  const rows = await db
    .selectFrom('sessions')
    .select('id')
    .where('id', 'in', ids)
    .where('ended', '>=', since)
    .orderBy('id')
    .execute();
  return rows.map(({ id }) => id);
}
