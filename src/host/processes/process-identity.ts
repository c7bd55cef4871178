import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { isAtWork, isBeating, type Liveness, processReach } from '../../domain/sessions/liveness.ts';
import type { PidPlace, ProcessIdentity } from '../../domain/sessions/session.ts';

/** Dead, but its parent has not read the exit code yet. */
const ZOMBIE = 'zombie';

export const identify = (pid: number): ProcessIdentity => ({
  pid,
  process_started: readStartTime(pid),
  ...pidPlace(),
});

/** Unknown counts as alive: the pid of a run in a container may not be visible from here. */
export const isAlive = (identity: ProcessIdentity): boolean => isAtWork(liveness(identity));

export function liveness(identity: ProcessIdentity): Liveness {
  switch (processReach(identity, pidPlace())) {
    case 'here':
      return isRunning(identity) ? 'alive' : 'dead';
    case 'gone':
      return 'dead';
    case 'elsewhere':
      return isBeating(identity, Date.now()) ? 'unseen' : 'silent';
  }
}

/** In a container or not. Only in a fleet is there any other machine. */
export function isOnThisMachine({ shared = false, host = null, boot = null }: ProcessIdentity): boolean {
  const here = pidPlace();
  return !shared || (boot !== null && here.boot !== null ? boot === here.boot : host === here.host);
}

/** The name of the other machine that it runs on; null for this one. */
export const otherHost = (identity: ProcessIdentity): string | null =>
  isOnThisMachine(identity) ? null : (identity.host ?? 'another machine');

/** Whether it is still the same process: the system may have reused its pid. */
function isRunning({ pid, process_started }: ProcessIdentity): boolean {
  const start = readStartTime(pid);
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

/** Whether it was stopped by a signal, as by Ctrl-Z. False where that cannot be seen. */
export const isSuspended = (identity: ProcessIdentity): boolean =>
  processReach(identity, pidPlace()) === 'here' && readStat(identity.pid)?.[0] === 'T';

/** In ticks since boot, field 22 of Linux's stat; null without /proc or if there is no such process. */
function readStartTime(pid: number): string | null {
  const fields = readStat(pid);
  return fields?.[0] === 'Z' ? ZOMBIE : (fields?.[19] ?? null);
}

/** From the third field on: its state. */
function readStat(pid: number): string[] | null {
  const stat = orNull(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  // The name in parentheses may contain spaces and parentheses, so count from its end.
  return stat === null ? null : stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

let cachedPlace: PidPlace | null = null;

/** Read once: neither the boot nor the namespace of a process changes. */
export function pidPlace(): PidPlace {
  cachedPlace ??= {
    host: hostname(),
    boot: orNull(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()),
    pid_namespace: orNull(() => readlinkSync('/proc/self/ns/pid')),
  };
  return cachedPlace;
}

function orNull(read: () => string): string | null {
  try {
    return read();
  } catch {
    return null;
  }
}
