import type { Stats } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

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
