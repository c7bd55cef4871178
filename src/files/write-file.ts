import { closeSync, fstatSync, mkdirSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { MachineFailed } from '../domain/refusal.ts';

export type WriteOptions = {
  mode?: number;
  /** False for files that are useless after a reboot: flushing them would only cost time. */
  isDurable?: boolean;
};

/** Leaves the old file or the new one, never a part: writes a temporary file, flushes it, renames it. */
export async function writeFileWhole(
  path: string,
  text: string | Buffer,
  { mode = 0o666, isDurable = true }: WriteOptions = {},
): Promise<void> {
  const { randomUUID } = await import('node:crypto');
  // A random name, so that no process can have made a link there; `wx` opens only a new file.
  const partial = `${path}.${randomUUID()}.part`;
  try {
    await mkdir(dirname(path), { recursive: true });
    const file = await open(partial, 'wx', mode);
    try {
      await file.writeFile(text);
      if (isDurable) await file.sync();
    } finally {
      await file.close();
    }
    await rename(partial, path);
  } catch (error) {
    await rm(partial, { force: true }).catch(() => {});
    throw new MachineFailed(
      `${path} cannot be written (${(error as NodeJS.ErrnoException).code}); check the folder.`,
      { cause: error },
    );
  }
}

/** Removes what killed processes left of this file. The caller knows that no living process writes it now. */
export async function removePartialFiles(path: string): Promise<void> {
  const folder = dirname(path);
  for (const name of await readdir(folder).catch(() => []))
    if (name.startsWith(`${basename(path)}.`) && name.endsWith('.part'))
      await rm(join(folder, name), { force: true });
}

const CHUNK_BYTES = 2 ** 20;

/** Restores a file that was removed while it was written: only the open descriptor still reaches its content. */
export function putBackIfRemoved(path: string, descriptor: number): void {
  if (statSync(path, { throwIfNoEntry: false })?.ino === fstatSync(descriptor).ino) return;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const copy = openSync(path, 'wx', 0o600);
  try {
    const chunk = Buffer.alloc(CHUNK_BYTES);
    for (let at = 0, length = 1; length > 0; at += length) {
      length = readSync(descriptor, chunk, 0, CHUNK_BYTES, at);
      writeSync(copy, chunk, 0, length);
    }
  } finally {
    closeSync(copy);
  }
}
