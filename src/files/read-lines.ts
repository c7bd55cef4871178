// Reads the lines of a file that may be huge and may still grow. It holds at most one line in memory.
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
