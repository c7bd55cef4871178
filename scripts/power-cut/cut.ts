// What a disk holds after the power failed: every file, as far as it was synced. Names survive: a journal keeps them before the data.
import { cpSync, lstatSync, readdirSync, readFileSync, truncateSync } from 'node:fs';
import { join, relative } from 'node:path';
import { namesIn } from '../../src/files/read-text.ts';
import { lookForCarriers, type Marker } from '../../src/host/processes/reap.ts';
import { readSynced } from './recorder.ts';

/** `before`: the sizes of the files that were on the disk when the story began. */
export type Disk = { root: string; log: string; before: ReadonlyMap<string, number> };

export const sizesBelow = (folder: string): Map<string, number> =>
  new Map(filesBelow(folder).map((path) => [identify(path), lstatSync(path).size]));

/** Copies the disk while nothing that carries the marker runs. */
export function cutPower({ root, log, before }: Disk, marker: Marker, copy: string): void {
  const frozen = freeze(marker);
  try {
    cpSync(root, copy, { recursive: true, verbatimSymlinks: true });
    const synced = new Map([...before, ...readSynced(log)]);
    for (const path of filesBelow(root)) {
      const { size } = lstatSync(path);
      const syncedBytes = synced.get(identify(path)) ?? 0;
      if (syncedBytes < size) truncateSync(join(copy, relative(root, path)), syncedBytes);
    }
  } finally {
    for (const pid of frozen) signal(pid, 'SIGCONT');
  }
}

/** A process that ends may leave a child, and one that starts a program is not known by its marker at that moment. */
const UNCLEAR_LOOKS = 5;

/** Again until a look finds no new process: a process that is not stopped yet may start another. */
function freeze(marker: Marker): ReadonlySet<number> {
  // All of them are let go on, also one that a later look did not know by its marker any more.
  const stopped = new Set<number>();
  for (let unclear = 0; ; ) {
    const { carriers, isUnclear } = lookForCarriers(marker);
    const isFrozen = carriers.every((pid) => stopped.has(pid) && isStopped(pid));
    // A dead child of a stopped process stays unclear.
    unclear = isFrozen && isUnclear ? unclear + 1 : 0;
    if (isFrozen && (!isUnclear || unclear === UNCLEAR_LOOKS)) return stopped;
    for (const pid of carriers) {
      signal(pid, 'SIGSTOP');
      stopped.add(pid);
    }
  }
}

/** All of its threads: one may still be removing a file while the first one has stopped. */
const isStopped = (pid: number): boolean =>
  namesIn(`/proc/${pid}/task`).every((thread) => /\) [TtZX] /.test(readState(pid, thread)));

function readState(pid: number, thread: string): string {
  try {
    return readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8');
  } catch {
    return ') X ';
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended meanwhile.
  }
}

function identify(path: string): string {
  const { dev, ino } = lstatSync(path);
  return `${dev}:${ino}`;
}

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
