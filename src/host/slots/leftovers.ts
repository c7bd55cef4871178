// Removes what an agent has left, while the next session waits.
import { type Dir, opendirSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';

/** For these, threads would take several times as long. */
const FEW_FILES = 100;

/** An agent may leave thousands of files: that is no work for the thread that serves the other sessions. */
export async function removeLeftovers(folder: string): Promise<void> {
  const options = { recursive: true, force: true };
  if (countFiles(folder, FEW_FILES) < FEW_FILES) rmSync(folder, options);
  else await rm(folder, options);
}

/** Files and folders in it, but no more than `most`. */
function countFiles(folder: string, most: number): number {
  let count = 0;
  const dir = openFolder(folder);
  for (let entry = dir?.readSync(); entry && count < most; entry = dir?.readSync()) {
    count += 1;
    if (entry.isDirectory()) count += countFiles(join(folder, entry.name), most - count);
  }
  dir?.closeSync();
  return count;
}

function openFolder(path: string): Dir | null {
  try {
    return opendirSync(path);
  } catch {
    return null;
  }
}
