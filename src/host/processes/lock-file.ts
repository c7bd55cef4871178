// A lock between processes: a file that names the process that holds it. The lock of a dead process counts for nothing.
import { linkSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { MachineFailed } from '../../domain/refusal.ts';
import type { ProcessIdentity } from '../../domain/sessions/session.ts';
import { readRecord } from '../../files/read-text.ts';
import { PRIVATE_FILE } from '../private-state.ts';
import { identify, isAlive } from './process-identity.ts';

/**
 * False if a living process has it. Only one process may remove the lock of a dead one, or two could each remove what the other
 * has just made: it first takes a lock of its own for that, whose name tells the dead process.
 */
export async function takeLock(file: string): Promise<boolean> {
  if (makeLock(file)) return true;
  const content = await readFile(file, 'utf8').catch(() => null);
  // Its owner has just released it.
  if (content === null) return makeLock(file);
  const owner = parseOwner(content);
  if (owner !== null && isAlive(owner)) return false;
  const removal = `${file}.${owner === null ? 'damaged' : `${owner.pid}-${owner.process_started}`}`;
  if (!(await takeLock(removal))) return false;
  try {
    if ((await readFile(file, 'utf8').catch(() => null)) === content) await rm(file, { force: true });
    return makeLock(file);
  } finally {
    await rm(removal, { force: true });
  }
}

/** At once: the next caller in this process must not find it and wait. */
export const dropLock = (file: string): void => rmSync(file, { force: true });

/** Null if no living process has it. */
export async function lockOwner(file: string): Promise<ProcessIdentity | null> {
  const owner = await readRecord<ProcessIdentity>(file);
  return owner !== null && isAlive(owner) ? owner : null;
}

const LOOK_EVERY_MS = 20;

/** Longer than such work takes on the busiest machine: a process that holds a lock for so long stands still, as after Ctrl-Z. */
const PATIENCE_MS = 30_000;

/** Waits for the lock, and holds it during the work. For work of milliseconds. */
export async function whileLocked<T>(
  file: string,
  work: () => Promise<T>,
  { patienceMs = PATIENCE_MS } = {},
): Promise<T> {
  const deadline = performance.now() + patienceMs;
  while (!(await takeLock(file))) {
    const owner = performance.now() < deadline ? null : await lockOwner(file);
    if (owner !== null)
      throw new MachineFailed(
        `Process ${owner.pid} has locked ${file} and does not go on; resume it with kill -CONT ${owner.pid}, or end it.`,
      );
    await pause(LOOK_EVERY_MS);
  }
  try {
    return await work();
  } finally {
    dropLock(file);
  }
}

/** Null if a power cut or an agent damaged it. */
function parseOwner(content: string): ProcessIdentity | null {
  try {
    return JSON.parse(content);
  } catch {
    return null;
  }
}

/**
 * False if there is one. It appears with its content: an empty one would look like that of a dead process. Synchronous, because
 * each of these calls takes less time than a thread needs to begin it, and sessions wait for locks.
 */
function makeLock(file: string): boolean {
  const own = `${file}.${crypto.randomUUID()}.part`;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(own, JSON.stringify(identify(process.pid)), { flag: 'wx', mode: PRIVATE_FILE });
    linkSync(own, file);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return false;
    if (code === undefined) throw error;
    throw new MachineFailed(`Ralph cannot write ${file} (${code}); free disk space.`, { cause: error });
  } finally {
    rmSync(own, { force: true });
  }
}
