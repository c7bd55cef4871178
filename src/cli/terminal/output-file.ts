import { lstat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Refusal } from '../../domain/refusal.ts';
import { writeFileWhole } from '../../files/write-file.ts';

/** Returns the path. Writes a new file or replaces one, but never a folder, a link or a device. */
export async function writeOutput(cwd: string, file: string, text: string): Promise<string> {
  if (file === '') throw new Refusal('The name of the file is empty; name one.');
  const path = resolve(cwd, file);
  // If stat fails, the write fails too, with its own message.
  const stat = await lstat(path).catch(() => undefined);
  if (stat?.isDirectory()) throw new Refusal(`${path} is a folder; name a file in it.`);
  if (stat !== undefined && !stat.isFile())
    throw new Refusal(`${path} is not a file that can be replaced; name another, or redirect the output.`);
  await writeFileWhole(path, `${text}\n`);
  return path;
}
