import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import type { OpenedFile, OpenFile } from './own-file.ts';

/** `bytes`: the size of the whole file. */
export type FileEnd = { text: string; bytes: number; isWhole: boolean };

/** O_NONBLOCK: opening a FIFO must not hang. */
const openAny = (path: string): Promise<OpenedFile> => open(path, constants.O_RDONLY | constants.O_NONBLOCK);

/** The last part of a file, from the first whole line on. Null if there is no such file. */
export const readEnd = (path: string, most: number): Promise<FileEnd | null> =>
  readEndOf(() => openAny(path), most);

export async function readEndOf(opening: OpenFile, most: number): Promise<FileEnd | null> {
  const file = await opening().catch(() => null);
  if (file === null) return null;
  try {
    const found = await file.stat();
    if (!found.isFile()) return null;
    const start = Math.max(0, found.size - most);
    const end = Buffer.alloc(found.size - start);
    const { bytesRead } = await file.read(end, 0, end.length, start);
    return endOf(end.subarray(0, bytesRead), found.size);
  } finally {
    await file.close();
  }
}

/** `end`: the last bytes of a content that has `bytes` in all. */
export function endOf(end: Uint8Array, bytes: number): FileEnd {
  const text = new TextDecoder().decode(end).replaceAll('\0', '');
  const isWhole = end.length >= bytes;
  return { text: isWhole ? text : fromWholeLine(text), bytes, isWhole };
}

/** Keeps the text if it is only the end of one long line. */
function fromWholeLine(text: string): string {
  const rest = text.slice(text.indexOf('\n') + 1);
  return rest === '' ? text : rest;
}
