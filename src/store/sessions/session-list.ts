// Sessions as somebody looks for them: the latest, those of a run or a task, the one whose id begins so.
import type { Session } from '../../domain/sessions/session.ts';
import type { Reader } from '../database.ts';
import { sessionFromRow } from './sessions.ts';

export type SessionFilter = { run_id?: number; task_id?: number; isOpen?: true };
export type ListedSession = Session & { title: string };

/** The newest ones, oldest first, and how many there are in all. */
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

/** At most two: whoever asks wants the only one. */
export async function sessionIdsStarting(db: Reader, prefix: string): Promise<string[]> {
  const rows = await db
    .selectFrom('sessions')
    .select('id')
    .where('id', '>=', prefix)
    // Ids are ASCII, so this one is behind every id that begins with the prefix.
    .where('id', '<', `${prefix}~`)
    .orderBy('id')
    .limit(2)
    .execute();
  return rows.map(({ id }) => id);
}
