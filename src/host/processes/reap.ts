// Ends a process and everything it started, also what left its group: a variable in the environment tells whose it is.
import { readFileSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { namesIn } from '../../files/read-text.ts';

/** `RALPH_SESSION_ID=abc`: inherited by every descendant that does not clear its environment. */
export type Marker = `${string}=${string}`;

const GRACE_MS = 5_000;
const LOOK_EVERY_MS = 20;

export type Ending = { pid: number | null; marker: Marker; graceMs?: number };

/** Asks the group to end, waits, insists, and then ends whoever still carries the marker. Answers with how many did. */
export async function endTree({ pid, marker, graceMs = GRACE_MS }: Ending): Promise<number> {
  signalGroup(pid, 'SIGTERM');
  for (const stray of carriersOf(marker)) signal(stray, 'SIGTERM');
  const deadline = performance.now() + graceMs;
  while (performance.now() < deadline && (isGroupAlive(pid) || carriersOf(marker).length > 0))
    await pause(LOOK_EVERY_MS);
  signalGroup(pid, 'SIGKILL');
  return killCarriers(marker);
}

/** A process that is just becoming another program shows no environment for a moment: nobody is gone before the second look. */
const LOOKS = 2;
const SECOND_LOOK_MS = 5;

/** Nothing that carries the marker survives: looked for again until nobody is left, because the dying may still fork. */
export async function killCarriers(marker: Marker): Promise<number> {
  const killed = new Set<number>();
  for (let empty = 0; empty < LOOKS; ) {
    const carriers = carriersOf(marker);
    empty = carriers.length === 0 ? empty + 1 : 0;
    for (const pid of carriers) {
      killed.add(pid);
      signal(pid, 'SIGKILL');
    }
    if (empty < LOOKS) await pause(carriers.length === 0 ? SECOND_LOOK_MS : LOOK_EVERY_MS);
  }
  return killed.size;
}

/** Gives them so long to end by themselves, and then ends them. */
export async function awaitCarriers(marker: Marker, graceMs: number): Promise<void> {
  const deadline = performance.now() + graceMs;
  while (performance.now() < deadline && carriersOf(marker).length > 0) await pause(LOOK_EVERY_MS);
  await killCarriers(marker);
}

const DRAIN_LOOK_MS = 500;

/** Looked for so often, nobody who can be known by the marker has it open any more. */
const DRAIN_LOOKS = 4;

/**
 * Ends what is left of it until its output is closed. Who cleared its environment, and holds the output still, cannot be found:
 * the output is closed from this side, so that nobody waits for it for ever.
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

/** For the moment in which nothing can be waited for any more: the process itself is ending. */
export function killNow({ pid, marker }: Pick<Ending, 'pid' | 'marker'>): void {
  signalGroup(pid, 'SIGKILL');
  for (const carrier of carriersOf(marker)) signal(carrier, 'SIGKILL');
}

/** Living processes with the marker in their environment. Where there is no /proc the group has to do. */
export function carriersOf(marker: Marker): number[] {
  const ids = namesIn('/proc').filter((name) => /^\d+$/.test(name));
  return ids.map(Number).filter((pid) => pid !== process.pid && carries(pid, marker));
}

function carries(pid: number, marker: Marker): boolean {
  try {
    if (!readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(marker)) return false;
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    // Gone meanwhile, or somebody else's.
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
