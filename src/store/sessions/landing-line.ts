// The sessions of all machines that wait to land, in the order in which they came.
import type { Reader, Writer } from '../database.ts';
import { databaseClock } from '../dialect.ts';

/**
 * A session that waits already keeps its place; one that has ended, or that the queue does not know, gets none. Later than all that
 * wait, by whatever the clock says: two that came in the same millisecond would both be the first.
 */
export async function enterLine(db: Writer, session_id: string): Promise<void> {
  const { now, last } = await db
    .selectFrom('sessions')
    .select(({ fn }) => [databaseClock(db).as('now'), fn.max('landing_since').as('last')])
    .where('landing_since', 'is not', null)
    .executeTakeFirstOrThrow();
  await db
    .updateTable('sessions')
    .set({ landing_since: Math.max(now, Number(last ?? 0) + 1) })
    .where('id', '=', session_id)
    .where('ended', 'is', null)
    .where('landing_since', 'is', null)
    .execute();
}

export async function leaveLine(db: Writer, session_id: string): Promise<void> {
  await db.updateTable('sessions').set({ landing_since: null }).where('id', '=', session_id).execute();
}

/** `isHeld`: the lease of its run holds. */
type PlaceInLine = { session_id: string; isHeld: boolean };

export async function landingLine(db: Reader): Promise<PlaceInLine[]> {
  const rows = await db
    .selectFrom('sessions')
    .innerJoin('runs', 'runs.id', 'sessions.run_id')
    .select(['sessions.id', 'runs.lease_until', databaseClock(db).as('asked_at')])
    .where('sessions.landing_since', 'is not', null)
    .where('sessions.ended', 'is', null)
    .where('runs.ended', 'is', null)
    .orderBy('sessions.landing_since')
    .orderBy('sessions.id')
    .execute();
  return rows.map(({ id, lease_until, asked_at }) => ({
    session_id: id,
    isHeld: lease_until !== null && lease_until > asked_at,
  }));
}
