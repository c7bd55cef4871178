// `git gc --prune=now` removes every object that no ref holds, even one that Ralph has just written and is about to move HEAD to.
// So Ralph holds the lock of gc from its first object until a ref holds it.
import {
  closeSync,
  fstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { hostname, uptime } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Git, GitFailed } from './git.ts';
import { findGit } from './git-directory.ts';

const LOOK_EVERY_MS = 20;
/** As long as Ralph waits for any other long git command. */
const MAX_WAIT_MS = 600_000;
/** Git holds `gc.pid.lock` only for an instant; a killed process left an older one. */
const MAX_LOCK_AGE_MS = 10_000;
/** A holder on another machine, or in a container, cannot be looked up: it may be dead for hours. */
const MAX_FOREIGN_WAIT_MS = 60_000;
/** Git itself ignores an older holder. */
const MAX_AGE_MS = 12 * 3_600_000;

/** How many callers in this process share the lock of a repository. */
const holders = new Map<string, { count: number; acquired: Promise<boolean> }>();
/** Locks that this process holds, until they are removed. */
const ownLocks = new Set<string>();

/** Waits for a gc that has begun. While Ralph holds the lock, a new gc refuses to run. */
export async function holdingOffGc<T>(repository: Pick<Git, 'root'>, work: () => Promise<T>): Promise<T> {
  const found = findGit(repository.root);
  if (found === null) return work();
  const lock = join(found.commonDir, 'gc.pid');
  const shared = holders.get(lock) ?? { count: 0, acquired: acquire(lock) };
  shared.count += 1;
  holders.set(lock, shared);
  try {
    await shared.acquired;
    return await work();
  } finally {
    shared.count -= 1;
    if (shared.count === 0) {
      holders.delete(lock);
      if (await shared.acquired.catch(() => false)) release(lock);
    }
  }
}

/** False if Ralph goes on without it: the repository is read-only, or a process that Ralph cannot see holds it. */
async function acquire(lock: string): Promise<boolean> {
  for (let waited = 0; waited < MAX_WAIT_MS; waited += LOOK_EVERY_MS) {
    const found = tryAcquire(lock);
    if (found === 'unlockable') return false;
    if (found === null) return true;
    if (found === 'elsewhere' && waited >= MAX_FOREIGN_WAIT_MS) return false;
    await pause(LOOK_EVERY_MS);
  }
  throw new GitFailed(
    `Another git gc has held ${lock} for more than ${MAX_WAIT_MS / 60_000} minutes; end it, then run Ralph again.`,
  );
}

/** Null if Ralph has it now. Synchronous: it takes a handful of steps, and a thread for each would take longer. */
function tryAcquire(lock: string): 'here' | 'elsewhere' | 'unlockable' | null {
  let file: number;
  try {
    file = openSync(`${lock}.lock`, 'wx');
  } catch (error) {
    const isTaken = (error as NodeJS.ErrnoException).code === 'EEXIST';
    return isTaken && ageMs(`${lock}.lock`) <= MAX_LOCK_AGE_MS ? 'here' : 'unlockable';
  }
  // Git also checks and replaces the holder within this lock, so two processes can never both see none.
  const holder = findHolder(lock, fstatSync(file).mtimeMs);
  if (holder === null) {
    ownLocks.add(lock);
    writeSync(file, ownEntry());
  }
  closeSync(file);
  if (holder === null) renameSync(`${lock}.lock`, lock);
  else rmSync(`${lock}.lock`, { force: true });
  return holder;
}

const ownEntry = (): string => `${process.pid} ${hostname()}`;

function release(lock: string): void {
  if (readIfPresent(lock) === ownEntry()) rmSync(lock, { force: true });
  ownLocks.delete(lock);
}

const ageMs = (path: string): number => Date.now() - (modified(path) ?? Date.now());

function readIfPresent(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

const modified = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.mtimeMs;

/**
 * By git's rules: a living process of this machine, or a process of another machine that is not too old. A killed process leaves its
 * entry, and another one may have its pid: after a boot, or this one itself in a container that was started again.
 */
function findHolder(lock: string, now: number): 'here' | 'elsewhere' | null {
  const [, pid, host] = /^(\d+) (\S+)/.exec(readIfPresent(lock)) ?? [];
  const age = now - (modified(lock) ?? now);
  if (pid === undefined || age > MAX_AGE_MS) return null;
  if (host !== hostname()) return 'elsewhere';
  if (Number(pid) === process.pid) return ownLocks.has(lock) ? 'here' : null;
  return isRunning(Number(pid)) && age < runningMs(Number(pid)) + TOLERANCE_MS ? 'here' : null;
}

const TICKS_PER_SECOND = 100;
const TOLERANCE_MS = 1_000;

/** For how long a process has been running; without /proc, for how long the machine has. */
function runningMs(pid: number): number {
  const text = readIfPresent(`/proc/${pid}/stat`);
  // The name in parentheses may contain spaces and parentheses, so count from its end.
  const started = Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[19] ?? 0);
  return (uptime() - started / TICKS_PER_SECOND) * 1_000;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
