// Reads the lines of a file that may be huge and may still grow. It holds at most one line in memory.
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { type OpenedFile, type OpenFile, openOwnFile } from './own-file.ts';

/** Longer lines are cut here: no honest agent writes one. */
export const MAX_LINE = 32 * 1024 * 1024;
export const CHUNK_BYTES = 256 * 1024;

/**
 * Calls `isLast` before each pass to the end of the file; it may wait for more as long as it likes. Before and not after the
 * pass, so that the last pass reads everything that was written before the session ended.
 */
export async function* readLines(
  place: string | OpenFile,
  isLast: () => Promise<boolean> = async () => true,
): AsyncGenerator<string> {
  const open = typeof place === 'string' ? () => openOwnFile(place) : place;
  let position = 0;
  let rest = new PartialLine();
  for (let isOver = false; !isOver; ) {
    isOver = await isLast();
    const file = await open();
    if (file === null) continue;
    try {
      if ((await file.stat()).size < position) {
        // A new file is in its place.
        position = 0;
        rest = new PartialLine();
      }
      for await (const bytes of readChunks(file, position)) {
        position += bytes.length;
        yield* rest.add(bytes);
      }
    } finally {
      await file.close();
    }
  }
  yield* rest.end();
}

async function* readChunks(file: OpenedFile, from: number): AsyncGenerator<Buffer> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  for (let position = from; ; ) {
    const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** A line without its end so far; the last character may be incomplete, too. */
class PartialLine {
  private readonly decoder = new TextDecoder();
  private line = '';

  *add(bytes: Buffer): Generator<string> {
    const [first = '', ...others] = this.decoder.decode(bytes, { stream: true }).split('\n');
    this.append(first);
    for (const next of others) {
      yield this.line;
      this.line = '';
      this.append(next);
    }
  }

  *end(): Generator<string> {
    this.append(this.decoder.decode());
    if (this.line !== '') yield this.line;
  }

  private append(text: string): void {
    if (this.line.length < MAX_LINE) this.line += text;
  }
}

/** `bytes`: the size of the whole file. */
export type FileEnd = { text: string; bytes: number; isWhole: boolean };

/** O_NONBLOCK: opening a FIFO must not hang. */
const openAny = (path: string): Promise<OpenedFile> => open(path, constants.O_RDONLY | constants.O_NONBLOCK);

/** The last part of a file, from the first whole line on. Null if there is no such file. */
export const readEnd = (path: string, most: number): Promise<FileEnd | null> =>
  readFileEnd(() => openAny(path), most);

export async function readFileEnd(opening: OpenFile, most: number): Promise<FileEnd | null> {
  const file = await opening().catch(() => null);
  if (file === null) return null;
  try {
    const found = await file.stat();
    if (!found.isFile()) return null;
    const start = Math.max(0, found.size - most);
    const end = Buffer.alloc(found.size - start);
    const { bytesRead } = await file.read(end, 0, end.length, start);
    return toFileEnd(end.subarray(0, bytesRead), found.size);
  } finally {
    await file.close();
  }
}

/** `end`: the last bytes of a content that has `bytes` in all. */
export function toFileEnd(end: Uint8Array, bytes: number): FileEnd {
  const text = new TextDecoder().decode(end).replaceAll('\0', '');
  const isWhole = end.length >= bytes;
  return { text: isWhole ? text : fromWholeLine(text), bytes, isWhole };
}

/** Keeps the text if it is only the end of one long line. */
function fromWholeLine(text: string): string {
  const rest = text.slice(text.indexOf('\n') + 1);
  return rest === '' ? text : rest;
}
