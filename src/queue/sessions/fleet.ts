// The machines that work on the queue: their runs, how their leases stand, and what their sessions do.
import { Refusal } from '../../domain/refusal.ts';
import { isAtWork, type Liveness } from '../../domain/sessions/liveness.ts';
import type { ProcessIdentity, Run, StopTime } from '../../domain/sessions/session.ts';
import { didYouMean } from '../../domain/text/did-you-mean.ts';
import { appendEvents, stopRequests } from '../../store/events.ts';
import { openRuns } from '../../store/sessions/runs.ts';
import type { ListedSession } from '../../store/sessions/session-list.ts';
import { latestSessions } from '../../store/sessions/session-list.ts';
import type { Queue } from '../queue.ts';

type LookUp = (identity: ProcessIdentity) => Liveness;

export type FleetRun = Pick<Run, 'id' | 'kind' | 'pid' | 'started'> & {
  root: string | null;
  jobs: number | null;
  version: string | null;
  liveness: Liveness;
  /** Since the last heartbeat; null in records of older versions. */
  lease_age_ms: number | null;
  lease_left_ms: number | null;
  /** How it was asked to stop. */
  stopping: StopTime | null;
  sessions: readonly Pick<ListedSession, 'id' | 'task_id' | 'title' | 'started' | 'phase' | 'closing'>[];
};

export type Machine = { host: string; runs: readonly FleetRun[] };

/** More sessions than a fleet has at once. */
const MAX_SESSIONS = 2_000;
const UNKNOWN_HOST = 'unknown host';

/** By name. */
export const readFleet = (queue: Queue, lookUp: LookUp): Promise<Machine[]> =>
  queue.store.read(async (db) => {
    const { sessions } = await latestSessions(db, { isOpen: true }, MAX_SESSIONS, 0);
    const machines = new Map<string, FleetRun[]>();
    for (const run of await openRuns(db)) {
      const requests = await stopRequests(db, run.id);
      const { id, kind, pid, started, host, root = null, jobs = null, version = null, lease = null } = run;
      const name = host ?? UNKNOWN_HOST;
      machines.set(name, [
        ...(machines.get(name) ?? []),
        {
          id,
          kind,
          pid,
          started,
          root,
          jobs,
          version,
          liveness: lookUp(run),
          lease_age_ms: lease === null ? null : lease.length_ms - lease.left_ms,
          lease_left_ms: lease?.left_ms ?? null,
          stopping: requests.includes('now') ? 'now' : (requests[0] ?? null),
          sessions: sessions.filter(({ run_id }) => run_id === id),
        },
      ]);
    }
    return [...machines]
      .map(([host, runs]) => ({ host, runs }))
      .sort((one, other) => (one.host < other.host ? -1 : 1));
  });

/**
 * Asks every run of a host to stop, by an event that each looks for every second. `after`: it claims nothing more, and ends when its
 * sessions have ended. Returns the runs that it asked.
 */
export function stopHost(queue: Queue, host: string, when: StopTime, lookUp: LookUp): Promise<number[]> {
  const at = queue.now();
  return queue.store.write(async (db) => {
    const atWork = (await openRuns(db)).filter((run) => run.kind === 'supervisor' && isAtWork(lookUp(run)));
    const asked = atWork.filter((run) => run.host === host);
    if (asked.length === 0) {
      const hosts = [...new Set(atWork.flatMap((run) => run.host ?? []))];
      const hint = hosts.length === 0 ? 'no machine has a run' : `these have runs: ${hosts.join(', ')}`;
      throw new Refusal(
        `The machine "${host}" has no run at work${didYouMean(host, hosts) || `; ${hint}.`} Nothing was changed.`,
      );
    }
    for (const { id: run_id } of asked)
      if (!(await stopRequests(db, run_id)).includes(when))
        await appendEvents(db, [{ at, kind: 'run.stop_asked', run_id, data: { when } }]);
    return asked.map(({ id }) => id);
  });
}
