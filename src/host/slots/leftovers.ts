// Removes what an agent has left, while the next session waits.
import { type Dir, lstatSync, opendirSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';

/** To remove these, threads would take several times as long as they take here. */
const LITTLE = { files: 100, bytes: 2 ** 24 };

/** An agent may leave thousands of files: that is no work for the thread that serves the other sessions. */
export async function removeLeftovers(folder: string): Promise<void> {
  const options = { recursive: true, force: true };
  if (takeFrom({ ...LITTLE }, folder)) rmSync(folder, options);
  else await rm(folder, options);
}

/** False once the folder holds more than is left. */
function takeFrom(left: { files: number; bytes: number }, folder: string): boolean {
  const dir = openFolder(folder);
  try {
    for (let entry = dir?.readSync(); entry; entry = dir?.readSync()) {
      const path = join(folder, entry.name);
      left.files -= 1;
      if (!entry.isDirectory()) left.bytes -= lstatSync(path).size;
      if (left.files < 0 || left.bytes < 0) return false;
      if (entry.isDirectory() && !takeFrom(left, path)) return false;
    }
    return true;
  } finally {
    dir?.closeSync();
  }
}

/** Null if it is missing, no folder, or closed to Ralph: then its removal says so. */
function openFolder(path: string): Dir | null {
  try {
    return opendirSync(path);
  } catch {
    return null;
  }
}
