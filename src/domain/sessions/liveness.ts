// Decides whether a recorded process can be looked up by its pid. If not, its heartbeat counts.
import type { PidPlace, ProcessIdentity } from './session.ts';

export const HEARTBEAT_EVERY_MS = 10_000;
/** Twelve beats: a swapping machine or a busy database must not make a run look dead. */
export const HEARTBEAT_LIMIT_MS = 120_000;

/** `unseen`: the pid cannot be looked up here, but the heartbeat is recent. */
export type Liveness = 'alive' | 'unseen' | 'dead';

/** `here`: the pid can be looked up. `gone`: this host has rebooted since. `elsewhere`: another host or container. */
export type Reach = 'here' | 'gone' | 'elsewhere';

export function processReach(process: ProcessIdentity, here: PidPlace): Reach {
  const { host = null, boot = null, pid_namespace = null } = process;
  // Older versions did not record the host.
  if (host === null) return 'here';
  const isSameHost = host === here.host;
  const isSameSpace = boot === here.boot && pid_namespace === here.pid_namespace;
  // A host may be renamed while it runs, so equal boot and namespace are enough.
  if (isSameSpace && (isSameHost || (boot !== null && pid_namespace !== null))) return 'here';
  const hasRebooted = boot !== null && here.boot !== null && boot !== here.boot;
  return isSameHost && hasRebooted ? 'gone' : 'elsewhere';
}

/** A heartbeat in the future, from a clock that runs ahead, counts as recent. */
export const isBeating = ({ heartbeat = null }: ProcessIdentity, now: number): boolean =>
  heartbeat !== null && now - heartbeat < HEARTBEAT_LIMIT_MS;
