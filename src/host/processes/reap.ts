// Ends a process and everything it started, even what left its group: a variable in the environment marks its descendants.
import { readFileSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { fileStamp } from '../../files/own-file.ts';
import { namesIn } from '../../files/read-text.ts';

/** Such as `RALPH_SESSION_ID=abc`: every descendant inherits it unless it clears its environment. */
export type Marker = `${string}=${string}`;

const GRACE_MS = 5_000;
const LOOK_EVERY_MS = 20;

export type Ending = {
  pid: number | null;
  marker: Marker;
  graceMs?: number;
  /** Whether the process is the wall of a sandbox: if it ended first, the others would have no time to end by themselves. */
  isWalled?: boolean;
};

/** Sends SIGTERM, waits, sends SIGKILL, and then kills every process with the marker. Returns how many it killed at the end. */
export async function endTree({
  pid,
  marker,
  graceMs = GRACE_MS,
  isWalled = false,
}: Ending): Promise<number> {
  if (!isWalled) signalGroup(pid, 'SIGTERM');
  for (const stray of findCarriers(marker)) if (!isWalled || stray !== pid) signal(stray, 'SIGTERM');
  const deadline = performance.now() + graceMs;
  while (performance.now() < deadline && (isGroupAlive(pid) || findCarriers(marker).length > 0))
    await pause(LOOK_EVERY_MS);
  signalGroup(pid, 'SIGKILL');
  return killCarriers(marker);
}

/** If a look was unclear, an empty result counts only the third time. */
const LOOKS = 3;
const EXEC_MS = 5;

/**
 * Kills every process with the marker, and repeats until none is left: a dying process may still fork. `since`: when the first
 * process with the marker had not started yet, by `performance.now()`.
 */
export async function killCarriers(marker: Marker, since?: number): Promise<number> {
  const killed = new Set<number>();
  for (let empty = 0; empty < LOOKS; ) {
    const { carriers, isUnclear, isInExec } = lookForCarriers(marker, since);
    empty = carriers.length > 0 ? 0 : isUnclear ? empty + 1 : LOOKS;
    for (const pid of carriers) {
      killed.add(pid);
      signal(pid, 'SIGKILL');
    }
    // A child that a dead process left can be seen at once.
    if (carriers.length > 0) await pause(LOOK_EVERY_MS);
    else if (isInExec && empty < LOOKS) await pause(EXEC_MS);
  }
  return killed.size;
}

/** Gives them time to end by themselves, and then kills them. */
export async function awaitCarriers(marker: Marker, graceMs: number): Promise<void> {
  const deadline = performance.now() + graceMs;
  while (performance.now() < deadline && findCarriers(marker).length > 0) await pause(LOOK_EVERY_MS);
  await killCarriers(marker);
}

const DRAIN_LOOK_MS = 500;

/** After so many rounds no process with the marker has the output open any more. */
const DRAIN_LOOKS = 4;

/**
 * Kills what is left of a process until its output is closed. Ralph cannot find a descendant that cleared its environment and
 * still holds the output, so it closes the output from this side instead of waiting for ever.
 */
export async function killUntilDrained(
  { drained, stdout, stderr }: { drained: Promise<void>; stdout: Readable; stderr: Readable },
  marker: Marker,
  since?: number,
): Promise<void> {
  const isOver = drained.then(() => true);
  for (let look = 0; look < DRAIN_LOOKS; look++) {
    await killCarriers(marker, since);
    if (await Promise.race([isOver, pause(DRAIN_LOOK_MS, false)])) return;
  }
  stdout.destroy();
  stderr.destroy();
  await isOver;
}

/** Synchronous, for the exit of Ralph itself, which cannot wait any more. */
export function killNow({ pid, marker }: Pick<Ending, 'pid' | 'marker'>): void {
  signalGroup(pid, 'SIGKILL');
  for (const carrier of findCarriers(marker)) signal(carrier, 'SIGKILL');
}

/** Living processes with the marker in their environment. None without /proc: then only the group is ended. */
export const findCarriers = (marker: Marker): number[] => lookForCarriers(marker).carriers;

/**
 * What the last look found to carry no marker, and when that look was over. To read the environment of a busy process, the system
 * may have to wait a tenth of a second for it. So a process that is older than the marker is not read again.
 */
const seen = new Map<string, { stamp: string; at: number }>();

/** `isUnclear`: a process may carry the marker, or may have left a child that does. `isInExec`: one is starting a program. */
export function lookForCarriers(
  marker: Marker,
  since = Number.NEGATIVE_INFINITY,
): { carriers: number[]; isUnclear: boolean; isInExec: boolean } {
  const found = namesIn('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map((id) => ({ id, stamp: fileStamp(`/proc/${id}`), before: seen.get(id) }));
  const answers = found.map(({ id, stamp, before }): Answer => {
    const isOlder = before !== undefined && before.stamp === stamp && before.at < since;
    return isOlder ? 'no' : carries(id, marker);
  });
  const at = performance.now();
  seen.clear();
  found.forEach(({ id, stamp, before }, index) => {
    if (stamp !== null && answers[index] === 'no')
      seen.set(id, before?.stamp === stamp ? before : { stamp, at });
  });
  return {
    carriers: found.filter((_, index) => answers[index] === 'yes').map(({ id }) => Number(id)),
    isUnclear: answers.includes('gone') || answers.includes('in exec'),
    isInExec: answers.includes('in exec'),
  };
}

type Answer = 'yes' | 'no' | 'gone' | 'in exec';

function carries(id: string, marker: Marker): Answer {
  try {
    const environment = readFileSync(`/proc/${id}/environ`, 'utf8');
    if (environment !== '' && !environment.split('\0').includes(marker)) return 'no';
    const fields = readStat(id);
    if (environment !== '') return isDead(fields) ? 'no' : 'yes';
    if (isDead(fields)) return 'gone';
    const hasNone = isOfKernel(fields) || fields[48] !== '0';
    return hasNone ? 'no' : 'in exec';
  } catch (error) {
    // Some kernels answer so for their own threads, too. Any other error: another user's.
    const isGone = ['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '');
    return isGone && !isKernelThread(id) ? 'gone' : 'no';
  }
}

/** The fields from the third on: the state comes first. The name before them may contain spaces and parentheses. */
const readStat = (id: string): string[] => {
  const text = readFileSync(`/proc/${id}/stat`, 'latin1');
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
};

const isDead = ([state = '']: readonly string[]): boolean => /[ZX]/.test(state);

const KERNEL_THREAD = 0x0020_0000;

const isOfKernel = (fields: readonly string[]): boolean => (Number(fields[6]) & KERNEL_THREAD) !== 0;

function isKernelThread(id: string): boolean {
  try {
    return isOfKernel(readStat(id));
  } catch {
    return false;
  }
}

function isGroupAlive(pid: number | null): boolean {
  return pid !== null && signal(-pid, 0);
}

function signalGroup(pid: number | null, name: NodeJS.Signals): void {
  if (pid !== null) signal(-pid, name);
}

function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}
