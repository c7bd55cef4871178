// Ends a process and everything it started, even what left its group: a variable in the environment marks its descendants.
import { readFileSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
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

/** During exec a process shows no environment for a moment, so an empty result counts only the second time. */
const LOOKS = 2;
const SECOND_LOOK_MS = 5;

/** Kills every process with the marker, and repeats until none is left: a dying process may still fork. */
export async function killCarriers(marker: Marker): Promise<number> {
  const killed = new Set<number>();
  for (let empty = 0; empty < LOOKS; ) {
    const carriers = findCarriers(marker);
    empty = carriers.length === 0 ? empty + 1 : 0;
    for (const pid of carriers) {
      killed.add(pid);
      signal(pid, 'SIGKILL');
    }
    if (empty < LOOKS) await pause(carriers.length === 0 ? SECOND_LOOK_MS : LOOK_EVERY_MS);
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
): Promise<void> {
  const isOver = drained.then(() => true);
  for (let look = 0; look < DRAIN_LOOKS; look++) {
    await killCarriers(marker);
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
export function findCarriers(marker: Marker): number[] {
  const ids = namesIn('/proc').filter((name) => /^\d+$/.test(name));
  return ids.map(Number).filter((pid) => pid !== process.pid && carries(pid, marker));
}

function carries(pid: number, marker: Marker): boolean {
  try {
    if (!readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(marker)) return false;
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    // Gone meanwhile, or another user's.
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
