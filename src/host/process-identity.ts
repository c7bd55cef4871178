import { readFileSync } from 'node:fs';
import type { ProcessIdentity } from '../domain/session.ts';

/** Dead, but its parent has not asked how it died. */
const ZOMBIE = 'zombie';

export const identify = (pid: number): ProcessIdentity => ({ pid, process_started: startOf(pid) });

/** Alive, and still the same process: a pid that was given to another one does not count. */
export function isAlive({ pid, process_started }: ProcessIdentity): boolean {
  const start = startOf(pid);
  if (start === ZOMBIE) return false;
  if (process_started !== null && start !== null) return start === process_started;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Somebody else's process is alive, too.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** In ticks since boot, which Linux keeps in field 22; null where there is no /proc or no such process. */
function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may hold spaces and parentheses itself, so count from its end.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? ZOMBIE : (fields[19] ?? null);
  } catch {
    return null;
  }
}
