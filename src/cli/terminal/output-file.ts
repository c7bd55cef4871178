import { lstat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Refusal } from '../../domain/refusal.ts';
import { writeFileWhole } from '../../files/write-file.ts';

/** Answers with where it was written. A new file, or in the place of an old one: never in that of a folder, a link or a device. */
export async function writeOutput(cwd: string, file: string, text: string): Promise<string> {
  if (file === '') throw new Refusal('The name of the file is empty; name one.');
  const path = resolve(cwd, file);
  // Where it cannot be looked at it cannot be written either, and that has its own sentence.
  const stat = await lstat(path).catch(() => undefined);
  if (stat?.isDirectory()) throw new Refusal(`${path} is a folder; name a file in it.`);
  if (stat !== undefined && !stat.isFile())
    throw new Refusal(`${path} is not a file that can be replaced; name another, or redirect the output.`);
  await writeFileWhole(path, `${text}\n`);
  return path;
}
