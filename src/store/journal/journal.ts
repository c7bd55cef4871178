import type { Session } from '../../domain/sessions/session.ts';
import type { Reader, Writer } from '../database.ts';
import { sessionFromRow } from '../sessions/sessions.ts';

export type EndedSession = Session & { ended: number };

/**
 * Ended sessions that have no line in the journal yet, in the order of their end. A session whose done a person must still
 * accept or merge is left out: Ralph writes its line only once, and its outcome is not known yet.
 */
export async function unjournaledSessions(db: Reader, limit: number): Promise<EndedSession[]> {
  const rows = await db
    .selectFrom('sessions')
    .selectAll()
    .where('journaled', 'is', null)
    .where('ended', 'is not', null)
    .where(({ eb, and, not, exists, selectFrom, fn, val }) =>
      not(
        and([
          eb(fn.coalesce('outcome', val('')), 'in', ['needs_approval', 'proposed']),
          exists(
            selectFrom('tasks')
              .select('tasks.id')
              .whereRef('tasks.id', '=', 'sessions.task_id')
              .whereRef('tasks.token', '=', 'sessions.token')
              .where('tasks.status', 'in', ['needs_input', 'blocked']),
          ),
        ]),
      ),
    )
    .orderBy('ended')
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map((row) => ({ ...sessionFromRow(row), ended: row.ended ?? 0 }));
}

export async function markJournaled(db: Writer, session_id: string, journaled: number): Promise<void> {
  await db.updateTable('sessions').set({ journaled }).where('id', '=', session_id).execute();
}
