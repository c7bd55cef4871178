// A lock between processes: a file that names the process that holds it. The lock of a dead process counts for nothing.
import { linkSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { MachineFailed } from '../../domain/refusal.ts';
import type { ProcessIdentity } from '../../domain/sessions/session.ts';
import { readRecord } from '../../files/read-text.ts';
import { PRIVATE_FILE } from '../private-state.ts';
import { identify, isAlive, isSuspended } from './process-identity.ts';

/** False if a living process has it. */
export const takeLock = async (file: string): Promise<boolean> => (await tryLock(file)).isTaken;

/** `owner`: the living process in the way, where there is one. */
type LockState = { isTaken: boolean; owner: ProcessIdentity | null };

const lockState = (isTaken: boolean, owner: ProcessIdentity | null = null): LockState => ({ isTaken, owner });

/**
 * Only one process may remove the lock of a dead one, or two could each remove what the other has just made: it first takes a lock
 * of its own for that, whose name tells the dead process.
 */
async function tryLock(file: string): Promise<LockState> {
  if (makeLock(file)) return lockState(true);
  const content = await readFile(file, 'utf8').catch(() => null);
  // Its owner has just released it.
  if (content === null) return lockState(makeLock(file));
  const owner = parseOwner(content);
  if (owner !== null && isAlive(owner)) return lockState(false, owner);
  const removal = `${file}.${owner === null ? 'damaged' : `${owner.pid}-${owner.process_started}`}`;
  const removing = await tryLock(removal);
  if (!removing.isTaken) return removing;
  try {
    if ((await readFile(file, 'utf8').catch(() => null)) === content) await rm(file, { force: true });
    return lockState(makeLock(file));
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

/** About 30 seconds. In looks, not by a clock: this process may have been suspended together with the other one. */
const PATIENCE_LOOKS = 1_500;

/**
 * Waits for the lock, and holds it during the work. Its owner may be slow; but a suspended one, as after Ctrl-Z, would let this
 * process wait for ever.
 */
export async function whileLocked<T>(
  file: string,
  work: () => Promise<T>,
  { patienceLooks = PATIENCE_LOOKS } = {},
): Promise<T> {
  let suspendedLooks = 0;
  for (;;) {
    const { isTaken, owner } = await tryLock(file);
    if (isTaken) break;
    const isHeldUp = owner !== null && isSuspended(owner);
    suspendedLooks = isHeldUp ? suspendedLooks + 1 : 0;
    if (isHeldUp && suspendedLooks > patienceLooks)
      throw new MachineFailed(
        `Process ${owner.pid} has locked ${file} and is suspended; resume it with kill -CONT ${owner.pid}, or end it.`,
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
