// Remembers where each entry of a session's stream begins, and none of its text: a stream may be larger than memory.
import { ENTRY_GROUPS, type EntryGroup, entryGroups } from '../../domain/transcript/entry.ts';
import { parseStreamLine } from '../../domain/transcript/parse.ts';
import { NO_PROGRESS, type Progress, progressAfter } from '../../domain/transcript/progress.ts';
import { readParts } from '../../domain/transcript/transcript.ts';
import type { OpenedFile } from '../../files/own-file.ts';
import { CHUNK_BYTES, MAX_LINE } from '../../files/read-lines.ts';

/** No page can scroll through more, and no ordinary session comes near. */
const MAX_ENTRIES = 500_000;
/** Blocks of one line beyond this number are left out. */
const MAX_BLOCKS = 2 ** 16;

export type EntryPosition = { start: number; bytes: number; ordinal: number };

export class StreamIndex {
  private readonly chunkBytes: number;
  /** How many of the file's bytes are indexed; `size` is how many it has. */
  read = 0;
  size = 0;
  count = 0;
  counts: Record<EntryGroup, number> = { text: 0, tools: 0, errors: 0 };
  progress: Progress = NO_PROGRESS;
  private inode = 0;
  private starts = new Float64Array(256);
  private lengths = new Uint32Array(256);
  private ordinals = new Uint16Array(256);
  private groups = new Uint8Array(256);
  /** The start of the line whose end is not written yet. */
  private line = 0;
  /** The state before an unfinished last line was indexed as if it were whole. */
  private beforeTail: Pick<StreamIndex, 'count' | 'counts' | 'progress'> | null = null;

  constructor(chunkBytes: number = CHUNK_BYTES) {
    this.chunkBytes = chunkBytes;
  }

  isFull(): boolean {
    return this.count === MAX_ENTRIES;
  }

  /** Indexes new bytes. `isOver`: nothing more will come, so a last line without a newline counts as whole. */
  async extend(file: OpenedFile, isOver: boolean): Promise<void> {
    const stats = await file.stat();
    if (stats.size < this.read || stats.ino !== this.inode) this.reset(stats);
    this.size = stats.size;
    if (this.read < this.size) this.dropTail();
    const buffer = Buffer.allocUnsafe(Math.min(this.chunkBytes, Math.max(1, this.size - this.read)));
    while (this.read < this.size && !this.isFull()) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length, this.read);
      if (bytesRead === 0) break;
      await this.takeChunk(file, buffer.subarray(0, bytesRead), stats.mtimeMs);
    }
    if (isOver && this.read >= this.size && this.line < this.read && !this.isFull())
      await this.takeTail(file, stats.mtimeMs);
  }

  position(number: number): EntryPosition | null {
    const [start, bytes, ordinal] = [this.starts[number], this.lengths[number], this.ordinals[number]];
    if (number >= this.count || start === undefined || bytes === undefined || ordinal === undefined)
      return null;
    return { start, bytes, ordinal };
  }

  countIn(only: EntryGroup | null): number {
    return only === null ? this.count : this.counts[only];
  }

  /** The entry numbers of a group, starting at its `from`-th entry. */
  *numbers(only: EntryGroup | null, from: number): Generator<number> {
    const bit = only === null ? 0 : groupBit(only);
    let passed = only === null ? from : 0;
    for (let number = only === null ? from : 0; number < this.count; number++) {
      if (bit !== 0 && ((this.groups[number] ?? 0) & bit) === 0) continue;
      if (passed++ >= from) yield number;
    }
  }

  /** Another file is at the path now, so the old index is worthless. */
  private reset({ ino }: { ino: number }): void {
    Object.assign(this, new StreamIndex(this.chunkBytes));
    this.inode = ino;
  }

  private async takeChunk(file: OpenedFile, bytes: Buffer, at: number): Promise<void> {
    let from = 0;
    for (let end = bytes.indexOf(10); end >= 0 && !this.isFull(); end = bytes.indexOf(10, from)) {
      const length = this.read + end - this.line;
      const isHere = this.line >= this.read;
      const line = isHere ? bytes.subarray(from, end) : await readBytes(file, this.line, length);
      this.takeLine(line.toString('utf8'), length, at);
      this.line += length + 1;
      from = end + 1;
    }
    this.read += bytes.length;
  }

  private takeLine(line: string, length: number, at: number): void {
    const parsed = parseStreamLine(line);
    const entries = readParts(parsed).map(({ entry }) => entry);
    this.progress = progressAfter(this.progress, parsed, entries, at);
    for (const [ordinal, entry] of entries.slice(0, MAX_BLOCKS).entries()) {
      if (this.isFull()) return;
      if (this.count === this.starts.length) this.grow();
      const groups = entryGroups(entry);
      for (const group of groups) this.counts[group] += 1;
      this.starts[this.count] = this.line;
      this.lengths[this.count] = Math.min(length, 2 ** 32 - 1);
      this.ordinals[this.count] = ordinal;
      this.groups[this.count] = groups.reduce((bits, group) => bits | groupBit(group), 0);
      this.count += 1;
    }
  }

  private async takeTail(file: OpenedFile, at: number): Promise<void> {
    if (this.beforeTail !== null) return;
    this.beforeTail = { count: this.count, counts: { ...this.counts }, progress: this.progress };
    const length = this.read - this.line;
    this.takeLine((await readBytes(file, this.line, length)).toString('utf8'), length, at);
  }

  private dropTail(): void {
    Object.assign(this, this.beforeTail);
    this.beforeTail = null;
  }

  private grow(): void {
    const room = this.starts.length * 2;
    this.starts = copyInto(this.starts, new Float64Array(room));
    this.lengths = copyInto(this.lengths, new Uint32Array(room));
    this.ordinals = copyInto(this.ordinals, new Uint16Array(room));
    this.groups = copyInto(this.groups, new Uint8Array(room));
  }
}

const groupBit = (group: EntryGroup): number => 1 << ENTRY_GROUPS.indexOf(group);

function copyInto<T extends { set(from: T): void }>(from: T, into: T): T {
  into.set(from);
  return into;
}

/** Reads only the start of a line that is longer than any agent writes. */
async function readBytes(file: OpenedFile, start: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(Math.min(length, MAX_LINE));
  const { bytesRead } = await file.read(bytes, 0, bytes.length, start);
  return bytes.subarray(0, bytesRead);
}
