// Copies of the index that git works on. Each is named after the process that made it, so that those of the dead can be told.
import { copyFile, mkdir, readdir, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { identify, isAlive } from '../processes/process-identity.ts';

export const scratchOf = ({ stateDir }: { stateDir: string }): string => join(stateDir, 'scratch');

export async function newIndexIn(scratch: string): Promise<string> {
  await mkdir(scratch, { recursive: true });
  const { pid, process_started } = identify(process.pid);
  return join(scratch, `index-${pid}.${process_started ?? ''}-${crypto.randomUUID()}`);
}

/** Its age must be the original's, by which git tells the files that it cannot be sure of. Where there is none, none is made. */
export async function copyIndex(from: string, to: string): Promise<void> {
  const found = await stat(from).catch(() => null);
  if (found === null) return;
  await copyFile(from, to);
  await utimes(to, found.atime, found.mtime);
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
