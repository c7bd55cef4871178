import type { Stats } from 'node:fs';
import { lstat, readdir, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { MachineFailed } from '../../domain/refusal.ts';
import { git } from '../git/git.ts';
import type { Slot } from './slot.ts';

/** A checkout needs its files twice for a moment, and the setup needs room as well. */
const SLACK_BYTES = 200 * 2 ** 20;

/** Refuses to make a slot that would fill the disk. */
export async function requireSpace({ folder, repository }: Slot): Promise<void> {
  const free = await freeBytes(folder);
  if (free === null || free > SLACK_BYTES * 10) return;
  const { stdout } = await git(repository, ['ls-tree', '--full-tree', '-r', '-l', '-z', 'HEAD'], {
    answers: [128],
  });
  const needed = stdout
    .split('\0')
    .reduce((sum, line) => sum + Number(/^\S+ blob \S+ +(\d+)\t/.exec(line)?.[1] ?? 0), SLACK_BYTES);
  if (free < needed)
    throw new MachineFailed(
      `A slot needs about ${megabytes(needed)} MB, and ${dirname(folder)} has only ${megabytes(free)} MB left; free some, name another folder as slots.folder, or remove old slots with ralph slots clean.`,
    );
}

const megabytes = (bytes: number): number => Math.ceil(bytes / 2 ** 20);

/** Of the nearest folder that exists; null if the system does not tell. */
async function freeBytes(folder: string): Promise<number | null> {
  const found = await statfs(folder).catch(() => null);
  if (found !== null) return found.bavail * found.bsize;
  return dirname(folder) === folder ? null : freeBytes(dirname(folder));
}

const BLOCK_BYTES = 512;
/** Enough to keep the threads of Node busy. */
const AT_ONCE = 32;

/** Bytes that a folder takes on the disk. A file with several names counts once, and nothing behind a link counts. */
export async function diskUse(folder: string): Promise<number> {
  const counted = new Set<string>();
  let bytes = 0;
  const count = ({ blocks, size, nlink, dev, ino }: Stats, isFolder: boolean): void => {
    if (!isFolder && nlink > 1) {
      if (counted.has(`${dev}:${ino}`)) return;
      counted.add(`${dev}:${ino}`);
    }
    // Windows does not tell the blocks.
    bytes += blocks === undefined ? size : blocks * BLOCK_BYTES;
  };
  const waiting = [folder];
  const visit = async (path: string): Promise<void> => {
    const found = await lstat(path).catch(() => null);
    if (found === null) return;
    count(found, found.isDirectory());
    if (!found.isDirectory()) return;
    for (const name of await readdir(path).catch(() => [])) waiting.push(join(path, name));
  };
  while (waiting.length > 0) await Promise.all(waiting.splice(-AT_ONCE).map(visit));
  return bytes;
}
