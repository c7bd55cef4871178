// Appends lines to a file that people and other programs may write as well.
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

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
