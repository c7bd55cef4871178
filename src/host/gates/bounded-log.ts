// A log on disk that stores the first and the last part of its input, in bounded memory.
import { closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { MachineFailed } from '../../domain/refusal.ts';

/** The last part stays in memory until the end, so it must not grow with the limit. */
const MAX_TAIL_BYTES = 4 * 1024 * 1024;
const FIRST_BYTES = 16 * 1024;

export class BoundedLog {
  private readonly path: string;
  private readonly file: number;
  private readonly headBytes: number;
  private readonly tail: TailRing;
  private total = 0;
  private failure: unknown = null;

  /** Throws if the file cannot be opened, so that the caller does not start a process at all. */
  constructor(path: string, maxBytes: number) {
    this.path = path;
    const tailBytes = Math.min(MAX_TAIL_BYTES, Math.floor(maxBytes / 2));
    this.headBytes = maxBytes - tailBytes;
    this.tail = new TailRing(tailBytes);
    try {
      mkdirSync(dirname(path), { recursive: true });
      this.file = openSync(path, 'w', 0o600);
    } catch (error) {
      throw unwritable(path, error);
    }
  }

  write(text: string): void {
    if (text === '') return;
    const bytes = Buffer.from(text);
    const room = this.headBytes - this.total;
    if (room > 0) this.store(bytes.subarray(0, room));
    this.tail.push(bytes);
    this.total += bytes.length;
  }

  /** The end of everything that was written, even if the file lacks it. */
  lastText(mostBytes: number): string {
    return this.tail.lastText(mostBytes);
  }

  /** Throws if a part could not be stored: an incomplete log proves nothing later. */
  close(): void {
    const beyondHead = Math.max(0, this.total - this.headBytes);
    const rest = this.tail.last(beyondHead);
    const dropped = beyondHead - rest.length;
    if (dropped > 0) this.store(`\n(Ralph dropped ${dropped} bytes of output here.)\n`);
    this.store(rest);
    closeSync(this.file);
    if (this.failure !== null) throw unwritable(this.path, this.failure);
  }

  // Synchronous: writes that wait for a slow disk would pile up in memory without a bound.
  private store(data: string | Buffer): void {
    if (this.failure !== null) return;
    try {
      writeFileSync(this.file, data);
    } catch (error) {
      this.failure = error;
    }
  }
}

export const unwritable = (path: string, error: unknown): MachineFailed =>
  new MachineFailed(
    `${path} cannot be written (${(error as NodeJS.ErrnoException).code}); check the disk and the folder.`,
    { cause: error },
  );

/** The last bytes of a stream of any length, in a buffer that grows to a fixed size: most streams are short. */
export class TailRing {
  private readonly capacity: number;
  private bytes: Buffer;
  private total = 0;

  constructor(capacity: number) {
    this.capacity = capacity;
    this.bytes = Buffer.allocUnsafe(Math.min(capacity, FIRST_BYTES));
  }

  push(chunk: Buffer): void {
    this.makeRoom(this.total + chunk.length);
    const { length } = this.bytes;
    const skipped = Math.max(0, chunk.length - length);
    const at = (this.total + skipped) % length;
    const copied = chunk.copy(this.bytes, at, skipped);
    chunk.copy(this.bytes, 0, skipped + copied);
    this.total += chunk.length;
  }

  /** Up to `most` bytes. */
  last(most: number): Buffer {
    const length = Math.min(most, this.total, this.bytes.length);
    const begin = (this.total - length) % this.bytes.length;
    const [end, rest] = [this.bytes.subarray(begin, begin + length), begin + length - this.bytes.length];
    return Buffer.concat([end, this.bytes.subarray(0, Math.max(0, rest))]);
  }

  /** Until it has its full size, the ring has no seam. */
  private makeRoom(needed: number): void {
    if (needed <= this.bytes.length || this.bytes.length === this.capacity) return;
    const larger = Buffer.allocUnsafe(Math.min(this.capacity, Math.max(needed, 2 * this.bytes.length)));
    this.bytes.copy(larger, 0, 0, this.total);
    this.bytes = larger;
  }

  lastText(most: number): string {
    // The first character may be cut.
    return this.last(most)
      .toString('utf8')
      .replace(/^\uFFFD+/, '');
  }
}
