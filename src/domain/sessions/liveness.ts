// Whether a recorded process can be looked up by its pid from here, and what counts where it cannot.
import type { PidPlace, ProcessIdentity } from './session.ts';

export const HEARTBEAT_EVERY_MS = 10_000;
/** Twelve beats: a machine that swaps or a database that is busy must not make a run look dead. */
export const HEARTBEAT_LIMIT_MS = 120_000;

/** `unseen`: its pid means nothing here, and its heartbeat is young. */
export type Liveness = 'alive' | 'unseen' | 'dead';

/** `here`: its pid can be looked up. `gone`: this host has booted since. `elsewhere`: nobody can tell from here. */
export type Reach = 'here' | 'gone' | 'elsewhere';

export function processReach(process: ProcessIdentity, here: PidPlace): Reach {
  const { host = null, boot = null, pid_namespace = null } = process;
  // Recorded by a Ralph that did not know of places yet.
  if (host === null) return 'here';
  const isSameHost = host === here.host;
  const isSameSpace = boot === here.boot && pid_namespace === here.pid_namespace;
  // A host may be renamed while it runs; boot and namespace say more than its name, where there are both.
  if (isSameSpace && (isSameHost || (boot !== null && pid_namespace !== null))) return 'here';
  const hasRebooted = boot !== null && here.boot !== null && boot !== here.boot;
  return isSameHost && hasRebooted ? 'gone' : 'elsewhere';
}

/** A clock that runs ahead makes a heartbeat of the future: nobody is declared dead for that. */
export const isBeating = ({ heartbeat = null }: ProcessIdentity, now: number): boolean =>
  heartbeat !== null && now - heartbeat < HEARTBEAT_LIMIT_MS;
