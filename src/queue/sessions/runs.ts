import { Refusal } from '../../domain/refusal.ts';
import { isAtWork, LEASE_TIMES, type Liveness } from '../../domain/sessions/liveness.ts';
import { needsMending, parkedNow, type RecordedPark } from '../../domain/sessions/parked-agents.ts';
import {
  locateWorkTree,
  type ProcessIdentity,
  type Run,
  type RunKind,
  type Session,
  type WorkTrees,
} from '../../domain/sessions/session.ts';
import { localTime } from '../../domain/text/amounts.ts';
import type { Reader, Writer } from '../../store/database.ts';
import { appendEvents } from '../../store/events.ts';
import { type ListedRun, latestRuns } from '../../store/sessions/run-list.ts';
import {
  type AboutRun,
  endRun,
  insertRun,
  latestResume,
  openRuns,
  parkedAfter,
  setParked,
} from '../../store/sessions/runs.ts';
import { openSessions } from '../../store/sessions/sessions.ts';
import type { Queue } from '../queue.ts';

type LookUp = (identity: ProcessIdentity) => Liveness;

type About = AboutRun & { leaseMs?: number };

export function startRun(
  queue: Queue,
  identity: ProcessIdentity,
  kind: RunKind = 'supervisor',
  about: About = {},
): Promise<number> {
  const at = queue.now();
  return queue.store.write((db) => insertStartedRun(db, identity, kind, about, at));
}

/**
 * Two supervisors would fight over one work tree. The check and the insert are one transaction: of several runs that start at the
 * same moment, only one finds no other. In a fleet each machine, and each clone on it, has a run of its own.
 */
export function startRunAlone(
  queue: Queue,
  identity: ProcessIdentity,
  lookUp: LookUp,
  about: About = {},
): Promise<number> {
  const at = queue.now();
  const isBeside = (run: Run): boolean =>
    queue.store.isShared && (lookUp(run) === 'unseen' || run.root !== about.root);
  return queue.store.write(async (db) => {
    const other = (await supervisorsAtWork(db, lookUp)).find((run) => !isBeside(run));
    if (other !== undefined) throw new Refusal(anotherRunMessage(other, lookUp(other)));
    return insertStartedRun(db, identity, 'supervisor', about, at);
  });
}

/** The run that works on the queue; null where none does. */
export const runningRun = (queue: Queue, lookUp: LookUp): Promise<Run | null> =>
  queue.store.read(async (db) => (await supervisorsAtWork(db, lookUp))[0] ?? null);

/** All runs without an end, of any kind; some may be dead. */
export const listOpenRuns = (queue: Queue): Promise<Run[]> => queue.store.read(openRuns);

async function supervisorsAtWork(db: Reader, lookUp: LookUp): Promise<Run[]> {
  return (await openRuns(db)).filter((run) => run.kind === 'supervisor' && isAtWork(lookUp(run)));
}

function anotherRunMessage({ pid, started, host, heartbeat, lease }: Run, found: Liveness): string {
  const who = `Another ralph run is at work here: pid ${pid}`;
  const since = `since ${localTime(started)}`;
  const seconds = Math.round((lease?.length_ms ?? LEASE_TIMES.leaseMs) / 1_000);
  return found === 'unseen'
    ? `${who} on ${host}, ${since}. It cannot be seen from here; its last heartbeat was at ${localTime(heartbeat ?? started)}. Wait for it, or end it there: without a heartbeat it counts as dead after ${seconds} seconds.`
    : `${who}, ${since}. Wait for it, or end it first.`;
}

async function insertStartedRun(
  db: Writer,
  identity: ProcessIdentity,
  kind: RunKind,
  about: About,
  at: number,
): Promise<number> {
  const run_id = await insertRun(db, { leaseMs: LEASE_TIMES.leaseMs, ...about, identity, kind, started: at });
  const { host = null } = identity;
  await appendEvents(db, [{ at, kind: 'run.started', run_id, data: { pid: identity.pid, kind, host } }]);
  return run_id;
}

export function stopRun(queue: Queue, run_id: number, stop_reason: string): Promise<void> {
  const at = queue.now();
  return queue.store.write(async (db) => {
    if (!(await endRun(db, run_id, stop_reason, at))) return;
    await appendEvents(db, [{ at, kind: 'run.ended', run_id, data: { stop_reason } }]);
  });
}

/**
 * Records which agent starts nothing, so that other processes can show it, and later runs know of a usage limit. `agent`: null if
 * the whole run waits.
 */
export function savePark(
  queue: Queue,
  run_id: number,
  {
    agent,
    until,
    fault = 'usage_limit',
    detail = null,
    place = null,
  }: Partial<Omit<RecordedPark, 'agent'>> & { agent: string | null; until: number | null },
): Promise<void> {
  const at = queue.now();
  return queue.store.write(async (db) => {
    const run = (await openRuns(db)).find(({ id }) => id === run_id);
    const before = run?.parked?.find((one) => one.agent === agent);
    const others = parkedNow(run?.parked ?? [], at).filter((one) => one.agent !== agent);
    const parked = agent === null ? others : [...others, { agent, until, fault, detail, place }];
    const limits = parked.flatMap((one) => (needsMending(one) ? [] : [one.until ?? 0]));
    const resumes = agent === null ? [until ?? 0, ...limits] : limits;
    await setParked(db, run_id, resumes.length === 0 ? null : Math.max(...resumes), parked);
    // A run that tries such an agent again and again tells it once.
    if (before?.fault === fault && needsMending({ fault })) return;
    await appendEvents(db, [{ at, kind: 'run.waiting', run_id, data: { until, agent, fault } }]);
  });
}

/** Which agents start nothing now, as this or an earlier run found them. */
export const parkedAgents = (queue: Queue): Promise<RecordedPark[]> =>
  queue.store.read((db) => parkedAfter(db, queue.now()));

/** Until when an earlier run waited. That run may be dead, but the limit still holds. */
export const resumeTime = (queue: Queue): Promise<number | null> => queue.store.read(latestResume);

/** Runs without an end whose process is gone, and their open sessions. */
export async function deadRuns(
  queue: Queue,
  isAlive: (identity: ProcessIdentity) => boolean,
): Promise<{ runs: Run[]; sessions: Session[] }> {
  const open = await queue.store.read(async (db) => ({
    runs: await openRuns(db),
    sessions: await openSessions(db),
  }));
  return {
    runs: open.runs.filter((run) => !isAlive(run)),
    sessions: open.sessions.filter(({ owner }) => !isAlive(owner)).map(({ session }) => session),
  };
}

/** Tasks in progress whose session's process is gone, and whose session no run has finished yet. */
export async function orphanedTasks(
  queue: Queue,
  isAlive: (identity: ProcessIdentity) => boolean,
): Promise<ReadonlySet<number>> {
  const { sessions } = await deadRuns(queue, isAlive);
  return new Set(sessions.map(({ task_id }) => task_id));
}

/** Whether another run is at work: a supervisor, or a client that holds a task. */
export const areOthersAtWork = (queue: Queue, run_id: number, lookUp: LookUp): Promise<boolean> =>
  queue.store.read(
    async (db) =>
      (await supervisorsAtWork(db, lookUp)).length > 0 ||
      (await openSessions(db)).some(
        ({ session, owner }) => session.run_id !== run_id && isAtWork(lookUp(owner)),
      ),
  );

/** Sessions of dead runs that only a `ralph run` in another work tree can finish. */
export async function sessionsLeftElsewhere(
  queue: Queue,
  isAlive: (identity: ProcessIdentity) => boolean,
  trees: WorkTrees,
): Promise<Session[]> {
  const { sessions } = await deadRuns(queue, isAlive);
  return sessions.filter((session) => locateWorkTree(session, trees) === 'elsewhere');
}

export type { ListedRun };

const MAX_LISTED = 200;

/** The latest runs, newest first, and whether there are earlier ones. `before`: only runs before this one. */
export const listRuns = (
  queue: Queue,
  limit: number,
  before: number | null = null,
): Promise<{ runs: ListedRun[]; more: boolean }> =>
  queue.store.read(async (db) => {
    const shown = Math.min(limit, MAX_LISTED);
    const runs = await latestRuns(db, shown + 1, before);
    return { runs: runs.slice(0, shown), more: runs.length > shown };
  });
