import type { Stats } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

const BLOCK_BYTES = 512;
/** Enough to keep the threads of Node busy. */
const AT_ONCE = 32;

export const diskUse = async (folder: string): Promise<number> => (await measureDisk(folder)).bytes;

/**
 * Bytes that a folder takes on the disk. A file with several names counts once, and nothing behind a link counts. `unshared`: of
 * files with one name; the others may be those of a package manager, and another folder would share them.
 */
export async function measureDisk(folder: string): Promise<{ bytes: number; unshared: number }> {
  const counted = new Set<string>();
  const total = { bytes: 0, unshared: 0 };
  const count = ({ blocks, size, nlink, dev, ino }: Stats, isFolder: boolean): void => {
    // Windows does not tell the blocks.
    const bytes = blocks === undefined ? size : blocks * BLOCK_BYTES;
    if (isFolder || nlink === 1) total.unshared += bytes;
    else if (counted.has(`${dev}:${ino}`)) return;
    else counted.add(`${dev}:${ino}`);
    total.bytes += bytes;
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
  return total;
}
