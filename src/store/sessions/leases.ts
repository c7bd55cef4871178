// The lease of a run. It is written and read on the database's clock, in the statement itself.
import { sql } from 'kysely';
import type { Lease } from '../../domain/sessions/session.ts';
import type { Reader, Writer } from '../database.ts';
import { databaseClock } from '../dialect.ts';

/** For the row of a run that starts. */
export const firstLease = (db: Reader, leaseMs: number) => ({
  heartbeat: databaseClock(db),
  lease_since: databaseClock(db),
  lease_until: sql<number>`${databaseClock(db)} + cast(${leaseMs} as bigint)`,
});

/**
 * One statement, so that a lease that was renewed in time is told from one that was not. False if the run has ended: another run may have
 * taken over its sessions.
 */
export async function renewLease(db: Reader | Writer, run_id: number, leaseMs: number): Promise<boolean> {
  const result = await db
    .updateTable('runs')
    .set({
      heartbeat: databaseClock(db),
      lease_since: sql<number>`case when heartbeat + lease_until > 2 * ${databaseClock(db)} then lease_since else ${databaseClock(db)} end`,
      lease_until: sql<number>`${databaseClock(db)} + cast(${leaseMs} as bigint)`,
    })
    .where('id', '=', run_id)
    .where('ended', 'is', null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

export type LeaseRow = {
  heartbeat: number | null;
  lease_since: number | null;
  lease_until: number | null;
  asked_at: number;
};

/** Null for a run of an older version. */
export function leaseFromRow({ heartbeat, lease_since, lease_until, asked_at }: LeaseRow): Lease | null {
  if (heartbeat === null || lease_since === null || lease_until === null) return null;
  return {
    length_ms: lease_until - heartbeat,
    left_ms: lease_until - asked_at,
    unbroken_ms: asked_at - lease_since,
  };
}
