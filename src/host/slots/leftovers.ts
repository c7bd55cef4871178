// Removes what an agent has left, while the next session waits.
import { lstatSync, opendirSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';

/** So much is removed sooner here than by threads. */
const BUDGET = { files: 100, bytes: 2 ** 24 };
const BLOCK_BYTES = 512;

/** An agent may leave thousands of files: that is no work for the thread that serves the other sessions. */
export async function removeLeftovers(folder: string): Promise<void> {
  const options = { recursive: true, force: true };
  if (fits({ ...BUDGET }, Buffer.from(folder))) rmSync(folder, options);
  else await rm(folder, options);
}

/** Whether the budget is enough for a file, or for a folder with all that is in it. False also where Ralph cannot look. */
function fits(budget: typeof BUDGET, path: Buffer): boolean {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined) return true;
    budget.files -= 1;
    // A file may have more room than it uses, and a folder keeps what names it once had.
    budget.bytes -= Math.max(found.size, found.blocks * BLOCK_BYTES);
    if (budget.files < 0 || budget.bytes < 0) return false;
    return !found.isDirectory() || contentFits(budget, path);
  } catch {
    return false;
  }
}

function contentFits(budget: typeof BUDGET, path: Buffer): boolean {
  const folder = opendirSync(path, { encoding: 'latin1' });
  try {
    for (let entry = folder.readSync(); entry !== null; entry = folder.readSync())
      if (!fits(budget, Buffer.concat([path, Buffer.from(`/${entry.name}`, 'latin1')]))) return false;
    return true;
  } finally {
    folder.closeSync();
  }
}
