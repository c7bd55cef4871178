// Copies of the index that git works on. Each is named after the process that made it, so that those of the dead can be told.
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { identify, isAlive } from './process-identity.ts';

export const scratchOf = ({ stateDir }: { stateDir: string }): string => join(stateDir, 'scratch');

export function newIndexIn(scratch: string): string {
  const { pid, process_started } = identify(process.pid);
  return join(scratch, `index-${pid}.${process_started ?? ''}-${crypto.randomUUID()}`);
}

/** What a process that was killed could not remove. */
export async function removeDeadScratch(place: { stateDir: string }): Promise<void> {
  const scratch = scratchOf(place);
  for (const name of await readdir(scratch).catch(() => [])) {
    const made = /^index-(\d+)\.(\d*)-/.exec(name);
    if (made === null) continue;
    const by = { pid: Number(made[1]), process_started: made[2] || null };
    if (!isAlive(by)) await rm(join(scratch, name), { force: true });
  }
}
