import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { isBeating, type Liveness, processReach } from '../../domain/sessions/liveness.ts';
import type { PidPlace, ProcessIdentity } from '../../domain/sessions/session.ts';

/** Dead, but its parent has not asked how it died. */
const ZOMBIE = 'zombie';

export const identify = (pid: number): ProcessIdentity => ({
  pid,
  process_started: startOf(pid),
  ...pidPlace(),
});

/** Unknown counts as alive: a run in a container is not dead because its pid is not seen from here. */
export const isAlive = (identity: ProcessIdentity): boolean => liveness(identity) !== 'dead';

export function liveness(identity: ProcessIdentity): Liveness {
  switch (processReach(identity, pidPlace())) {
    case 'here':
      return isRunning(identity) ? 'alive' : 'dead';
    case 'gone':
      return 'dead';
    case 'elsewhere':
      return isBeating(identity, Date.now()) ? 'unseen' : 'dead';
  }
}

/** Still the same process: a pid that was given to another one does not count. */
function isRunning({ pid, process_started }: ProcessIdentity): boolean {
  const start = startOf(pid);
  if (start === ZOMBIE) return false;
  if (process_started !== null && start !== null) return start === process_started;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of another user is alive, too.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** In ticks since boot, which Linux keeps in field 22; null where there is no /proc or no such process. */
function startOf(pid: number): string | null {
  const stat = orNull(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  if (stat === null) return null;
  // The name in parentheses may hold spaces and parentheses itself, so count from its end.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' ? ZOMBIE : (fields[19] ?? null);
}

let known: PidPlace | null = null;

/** Read once: neither the boot nor the namespace changes under a process. */
function pidPlace(): PidPlace {
  known ??= {
    host: hostname(),
    boot: orNull(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()),
    pid_namespace: orNull(() => readlinkSync('/proc/self/ns/pid')),
  };
  return known;
}

function orNull(read: () => string): string | null {
  try {
    return read();
  } catch {
    return null;
  }
}
