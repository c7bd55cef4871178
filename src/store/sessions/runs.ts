import {
  needsMending,
  type ParkedAgent,
  parkedNow,
  type RecordedPark,
} from '../../domain/sessions/parked-agents.ts';
import type { ProcessIdentity, Run, RunKind } from '../../domain/sessions/session.ts';
import type { Reader, Writer } from '../database.ts';
import { databaseClock, isShared } from '../dialect.ts';
import { fromJson, toJson } from '../rows.ts';
import { firstLease, type LeaseRow, leaseFromRow } from './leases.ts';

export type RunRecord = Run & { stop_reason: string | null };

export const RUN_COLUMNS = [
  'id',
  'kind',
  'pid',
  'process_started',
  'host',
  'boot',
  'pid_namespace',
  'heartbeat',
  'root',
  'jobs',
  'version',
  'started',
  'ended',
  'stop_reason',
] as const;

/** What tells whether the process of a run is alive. */
export const OWNER_COLUMNS = [
  'runs.pid',
  'runs.process_started',
  'runs.host',
  'runs.boot',
  'runs.pid_namespace',
  'runs.heartbeat',
  'runs.lease_since',
  'runs.lease_until',
] as const;

type OwnerRow = LeaseRow &
  Required<Pick<ProcessIdentity, 'pid' | 'process_started' | 'host' | 'boot' | 'pid_namespace'>>;

export function identityFromRow(db: Reader, row: OwnerRow): ProcessIdentity {
  const { pid, process_started, host, boot, pid_namespace, heartbeat } = row;
  const lease = leaseFromRow(row);
  return { pid, process_started, host, boot, pid_namespace, heartbeat, lease, shared: isShared(db) };
}

export async function findRun(db: Reader, id: number): Promise<RunRecord | null> {
  return (await db.selectFrom('runs').select(RUN_COLUMNS).where('id', '=', id).executeTakeFirst()) ?? null;
}

/** The latest supervisor run that started a session. `before`: only runs with a smaller id. */
export async function latestRunWithSessions(
  db: Reader,
  before = Number.MAX_SAFE_INTEGER,
): Promise<RunRecord | null> {
  const row = await db
    .selectFrom('runs')
    .select(RUN_COLUMNS)
    .where('kind', '=', 'supervisor')
    .where('id', '<', before)
    .where('id', 'in', db.selectFrom('sessions').select('run_id'))
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row ?? null;
}

type NewRun = {
  identity: ProcessIdentity;
  kind: RunKind;
  started: number;
  leaseMs: number;
} & AboutRun;

/** What a run records of itself beside its process. */
export type AboutRun = {
  /** The work tree that it works in. */
  root?: string;
  jobs?: number;
  version?: string;
};

export async function insertRun(
  db: Writer,
  { identity, kind, started, leaseMs, root, jobs, version }: NewRun,
): Promise<number> {
  const { pid, process_started, host = null, boot = null, pid_namespace = null } = identity;
  const { id } = await db
    .insertInto('runs')
    .values({
      kind,
      pid,
      process_started,
      host,
      boot,
      pid_namespace,
      ...firstLease(db, leaseMs),
      root: root ?? null,
      jobs: jobs ?? null,
      version: version ?? null,
      started,
      ended: null,
      stop_reason: null,
      resume_at: null,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

export async function endRun(db: Writer, id: number, stop_reason: string, ended: number): Promise<boolean> {
  const result = await db
    .updateTable('runs')
    .set({ ended, stop_reason })
    .where('id', '=', id)
    .where('ended', 'is', null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** `parked`: every agent of the run that starts nothing, so that others can show it. */
export async function setParked(
  db: Writer,
  id: number,
  resume_at: number | null,
  parked: readonly RecordedPark[],
): Promise<void> {
  await db
    .updateTable('runs')
    .set({ resume_at, parked: toJson(parked) })
    .where('id', '=', id)
    .execute();
}

/** The latest time that any run waited for. */
export async function latestResume(db: Reader): Promise<number | null> {
  const row = await db
    .selectFrom('runs')
    .select(({ fn }) => fn.max('resume_at').as('resume_at'))
    .executeTakeFirst();
  return row?.resume_at ?? null;
}

/**
 * The agents that any run, also one that has ended, found to be limited beyond this time; and those that a run at work, or the
 * last one, could not use. A limit is the same everywhere, so the longest counts.
 */
export async function parkedAfter(db: Reader, now: number): Promise<RecordedPark[]> {
  const rows = await db
    .selectFrom('runs')
    .select(['host', 'ended', 'parked'])
    .where(({ eb, or, selectFrom }) => {
      const last = selectFrom('runs')
        .select(({ fn }) => fn.max('id').as('id'))
        .where('kind', '=', 'supervisor');
      return or([eb('resume_at', '>', now), eb('ended', 'is', null), eb('id', '=', last)]);
    })
    .execute();
  const found = new Map<string, RecordedPark>();
  for (const { host, ended, parked } of rows)
    for (const park of readParked(parked)) {
      const isOfMachine = needsMending(park);
      const key = JSON.stringify([park.agent, isOfMachine && host]);
      const until = isOfMachine ? park.until : Math.max(park.until ?? 0, found.get(key)?.until ?? 0);
      const place = { host: isOfMachine && isShared(db) ? host : null, isPast: ended !== null };
      found.set(key, { ...park, until, ...place });
    }
  return parkedNow(found.values(), now);
}

/** Older versions recorded nothing but usage limits. */
const readParked = (parked: string): RecordedPark[] =>
  fromJson<(ParkedAgent & Partial<RecordedPark>)[]>(parked).map((park) => ({
    fault: 'usage_limit',
    detail: null,
    ...park,
  }));

export async function openRuns(db: Reader): Promise<Run[]> {
  const rows = await db
    .selectFrom('runs')
    .select(['id', 'kind', 'started', 'ended', 'root', 'jobs', 'version', 'parked', ...OWNER_COLUMNS])
    .select(databaseClock(db).as('asked_at'))
    .where('ended', 'is', null)
    .orderBy('id')
    .execute();
  return rows.map(({ id, kind, started, ended, root, jobs, version, parked, ...row }) => ({
    id,
    kind,
    started,
    ended,
    root,
    jobs,
    version,
    parked: readParked(parked),
    ...identityFromRow(db, row),
  }));
}
