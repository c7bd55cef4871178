import { entryFields, entryLine } from '../../domain/transcript/entry.ts';
import { parseStreamLine, type StreamLine } from '../../domain/transcript/parse.ts';
import { type Part, readParts } from '../../domain/transcript/transcript.ts';
import type { OpenedFile } from '../../files/own-file.ts';
import { CHUNK_BYTES, MAX_LINE } from '../../files/read-lines.ts';
import type { EntryPosition } from './stream-index.ts';

type LocatedPart = { part: Part; line: StreamLine };

/** Reads the lines of an open file by position. Adjacent lines are read in one chunk, and each line is parsed once. */
export class StreamLines {
  private readonly file: OpenedFile;
  private readonly chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  private bytes = this.chunk.subarray(0, 0);
  private begin = 0;
  private last: { start: number; line: StreamLine; parts: Part[] } | null = null;
  private lastText: { start: number; line: string } | null = null;

  constructor(file: OpenedFile) {
    this.file = file;
  }

  async part(position: EntryPosition | null): Promise<LocatedPart | null> {
    if (position === null) return null;
    if (this.last?.start !== position.start) {
      const line = parseStreamLine(await this.textAt(position));
      this.last = { start: position.start, line, parts: readParts(line) };
    }
    const part = this.last.parts[position.ordinal];
    // Undefined if the file was replaced; the next call rebuilds the index.
    return part === undefined ? null : { part, line: this.last.line };
  }

  async has(position: EntryPosition, query: string): Promise<boolean> {
    if (!mayHold(await this.textAt(position), query)) return false;
    const found = await this.part(position);
    if (found === null) return false;
    const fields = entryFields(found.part, found.line);
    return [entryLine(found.part.entry), ...fields.map(({ text }) => text)].some((text) =>
      text.toLowerCase().includes(query),
    );
  }

  private async textAt({ start, bytes }: EntryPosition): Promise<string> {
    if (this.lastText?.start !== start)
      this.lastText = {
        start,
        line: (await this.bytesAt(start, Math.min(bytes, MAX_LINE))).toString('utf8'),
      };
    return this.lastText.line;
  }

  private async bytesAt(start: number, length: number): Promise<Buffer> {
    const end = this.begin + this.bytes.length;
    if (start < this.begin || start + length > end) {
      const buffer = length <= CHUNK_BYTES ? this.chunk : Buffer.allocUnsafe(length);
      const { bytesRead } = await this.file.read(buffer, 0, buffer.length, start);
      this.bytes = buffer.subarray(0, bytesRead);
      this.begin = start;
    }
    return this.bytes.subarray(start - this.begin, start - this.begin + length);
  }
}

/** Characters that JSON does not escape. */
const PLAIN = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;

/** Marks a line whose shown text may differ from its JSON: by escapes, or because Ralph words it differently. */
const OTHERWISE = /\\[u/]|mcp__|"subtype"/;

/** Rules out most lines without parsing them. */
const mayHold = (line: string, query: string): boolean =>
  !PLAIN.test(query) || OTHERWISE.test(line) || line.toLowerCase().includes(query);
