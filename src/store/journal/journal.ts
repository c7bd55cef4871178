import type { Session } from '../../domain/sessions/session.ts';
import type { Reader, Writer } from '../database.ts';
import { sessionFromRow } from '../sessions/sessions.ts';

export type EndedSession = Session & { ended: number };

/** Sessions that have ended and have no line in the journal yet, in the order they ended. */
export async function unjournaledSessions(db: Reader, limit: number): Promise<EndedSession[]> {
  const rows = await db
    .selectFrom('sessions')
    .selectAll()
    .where('journaled', 'is', null)
    .where('ended', 'is not', null)
    .orderBy('ended')
    .limit(limit)
    .execute();
  return rows.map((row) => ({ ...sessionFromRow(row), ended: row.ended ?? 0 }));
}

export async function markJournaled(db: Writer, session_id: string, journaled: number): Promise<void> {
  await db.updateTable('sessions').set({ journaled }).where('id', '=', session_id).execute();
}
