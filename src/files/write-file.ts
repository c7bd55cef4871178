import {
  closeSync,
  constants,
  fstatSync,
  fsync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { type FileHandle, open, readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { MachineFailed } from '../domain/refusal.ts';

const flush = promisify(fsync);

type WriteOptions = {
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
  // A random name, so that no process can have made a link there; `wx` opens only a new file.
  const partial = `${path}.${crypto.randomUUID()}.part`;
  try {
    // Synchronous except for the disk: sessions wait for such files, and a thread for each step would take longer.
    mkdirSync(dirname(path), { recursive: true });
    const file = openSync(partial, 'wx', mode);
    try {
      writeFileSync(file, text);
      if (isDurable) await flush(file);
    } finally {
      closeSync(file);
    }
    renameSync(partial, path);
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

// Appends lines to a file that people and other programs may write as well.

/** O_NOFOLLOW: never through a link. O_NONBLOCK: opening a FIFO must not hang. */
const APPEND =
  constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Gives the open file to `work`, and always closes it. */
export async function withAppendFile<T>(path: string, work: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await open(path, APPEND, 0o666);
  try {
    return await work(file);
  } finally {
    await file.close();
  }
}

/** The last part of the file, as text. */
export async function readTail(file: FileHandle, bytes: number): Promise<string> {
  const { size } = await file.stat();
  const length = Math.min(size, bytes);
  const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length);
  return buffer.toString('utf8');
}

/**
 * Returns only when the whole line is on disk. `tail`: the end of the file; a torn last line does not take in the new one.
 * appendFile and not a single write: on a full disk a write may store a part and report no error.
 */
export async function appendLine(file: FileHandle, tail: string, line: string): Promise<void> {
  await file.appendFile(lineAfter(tail, `${line}\n`));
  await file.datasync();
}

/** The line on a line of its own. */
export const lineAfter = (tail: string, line: string): string =>
  tail === '' || tail.endsWith('\n') ? line : `\n${line}`;
