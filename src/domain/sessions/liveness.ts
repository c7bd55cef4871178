// Decides whether a recorded process can be looked up by its pid, and what its lease says if not. A lease is judged on the
// database's clock alone.
import type { Lease, PidPlace, ProcessIdentity } from './session.ts';

/** At least four heartbeats a lease: the rule below depends on it. */
export type LeaseTimes = { leaseMs: number; everyMs: number };

/** Six beats a lease: a swapping machine or a busy database must not make a run look dead. */
export const LEASE_TIMES: LeaseTimes = { leaseMs: 60_000, everyMs: 10_000 };

/** For records in files, which have no lease. */
export const HEARTBEAT_LIMIT_MS = 120_000;

/**
 * `unseen`: the pid cannot be looked up here, but its lease runs. `silent`: the pid cannot be looked up here, and its lease is over.
 * `dead`: Ralph looked for the process, and it is gone.
 */
export type Liveness = 'alive' | 'unseen' | 'silent' | 'dead';

export const isAtWork = (liveness: Liveness): boolean => liveness === 'alive' || liveness === 'unseen';

/** `here`: the pid can be looked up. `gone`: this host has rebooted since. `elsewhere`: another host or container. */
export type Reach = 'here' | 'gone' | 'elsewhere';

export function processReach(process: ProcessIdentity, here: PidPlace): Reach {
  const { host = null, boot = null, pid_namespace = null, shared = false } = process;
  // Older versions did not record the host.
  if (host === null) return 'here';
  const isSameSpace = boot === here.boot && pid_namespace === here.pid_namespace;
  // A host may be renamed while it runs, so equal boot and namespace are enough.
  if (isSameSpace && boot !== null && pid_namespace !== null) return 'here';
  // Two machines of a fleet may have the same name.
  if (host !== here.host || shared) return 'elsewhere';
  if (isSameSpace) return 'here';
  const hasRebooted = boot !== null && here.boot !== null && boot !== here.boot;
  return hasRebooted ? 'gone' : 'elsewhere';
}

/** Whether a process that cannot be looked up still says that it is at work. */
export function isBeating({ lease = null, heartbeat = null }: ProcessIdentity, now: number): boolean {
  if (lease !== null) return lease.left_ms > 0;
  // A heartbeat in the future, from a clock that runs ahead, counts as recent.
  return heartbeat !== null && now - heartbeat < HEARTBEAT_LIMIT_MS;
}

/**
 * Whether a run may take over the work of another. After an outage of the database every lease is over, and each run is back at
 * another moment: so only a run that itself renewed in time for a whole lease may say that another is lost. In time means: before
 * half of it was over. An outage that lets the lease of one run end may be a heartbeat too short to end that of another.
 */
export function mayTakeOver(liveness: Liveness, owner: Lease | null, judge: Lease | null): boolean {
  if (liveness !== 'silent') return liveness === 'dead';
  return judge !== null && isInTime(judge) && judge.unbroken_ms >= patience(owner, judge);
}

const isInTime = ({ left_ms, length_ms }: Lease): boolean => left_ms * 2 > length_ms;

/** How long the judge has to wait, at most, before it may take over. */
export const takeOverIn = (owner: Lease | null, judge: Lease): number =>
  Math.max(0, patience(owner, judge) - (isInTime(judge) ? judge.unbroken_ms : 0));

/** The longer of both leases: they differ while a change of the configuration spreads. */
const patience = (owner: Lease | null, judge: Lease): number =>
  Math.max(judge.length_ms, owner?.length_ms ?? 0);
