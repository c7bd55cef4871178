// The lines of a file that may be huge and may still be growing: never more than one of them is held.
import type { FileHandle } from 'node:fs/promises';
import { openOwnFile } from './own-file.ts';

/** What is longer is cut there: no line of an agent that means well comes near. */
export const MAX_LINE = 32 * 1024 * 1024;
export const CHUNK_BYTES = 256 * 1024;

/**
 * `isLast` is asked before each reading to the end, and waits for more as long as it likes. Asked before and not after it,
 * so that what was written before the end of a session is read after it.
 */
export async function* readLines(
  path: string,
  isLast: () => Promise<boolean> = async () => true,
): AsyncGenerator<string> {
  let position = 0;
  let rest = new Unfinished();
  for (let isOver = false; !isOver; ) {
    isOver = await isLast();
    const file = await openOwnFile(path);
    if (file === null) continue;
    try {
      if ((await file.stat()).size < position) {
        // Somebody put a new file in its place.
        position = 0;
        rest = new Unfinished();
      }
      for await (const bytes of chunksOf(file, position)) {
        position += bytes.length;
        yield* rest.add(bytes);
      }
    } finally {
      await file.close();
    }
  }
  yield* rest.end();
}

async function* chunksOf(file: FileHandle, from: number): AsyncGenerator<Buffer> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  for (let position = from; ; ) {
    const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** A line whose end has not come yet; a character may be cut in two, too. */
class Unfinished {
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
