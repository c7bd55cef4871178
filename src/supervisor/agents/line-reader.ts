// Splits an agent's output into lines. Of a line beyond the limit it holds only the two ends in memory.
import { PieceMasker } from '../../domain/secrets/piece-masker.ts';
import { TailRing } from '../../host/gates/bounded-log.ts';

export type Mask = { mask: (text: string) => string; overlap: number };

/** The masked ends of a line that was too long to parse. */
export type LongLine = { head: string; tail: string; characters: number };

type LineHandler = { onLine: (line: string) => void; onLongLine: (line: LongLine) => void };

/** How many characters of a long line are stored at either end. */
const EXCERPT = 64 * 1024;

export class LineReader {
  private readonly handler: LineHandler;
  private readonly mask: Mask;
  private readonly maxCharacters: number;
  private rest = '';
  private long: LongLineEnds | null = null;

  constructor(handler: LineHandler, mask: Mask, maxCharacters: number) {
    this.handler = handler;
    this.mask = mask;
    this.maxCharacters = maxCharacters;
  }

  push(text: string): void {
    const parts = text.split('\n');
    const last = parts.pop() ?? '';
    for (const part of parts) {
      this.append(part);
      this.endLine();
    }
    this.append(last);
  }

  end(): void {
    if (this.rest !== '' || this.long !== null) this.endLine();
  }

  private append(part: string): void {
    if (this.long === null && this.rest.length + part.length <= this.maxCharacters) {
      this.rest += part;
      return;
    }
    this.long ??= new LongLineEnds(this.mask);
    this.long.push(this.rest);
    this.long.push(part);
    this.rest = '';
  }

  private endLine(): void {
    if (this.long === null) this.handler.onLine(this.rest);
    else this.handler.onLongLine(this.long.end());
    this.rest = '';
    this.long = null;
  }
}

class LongLineEnds {
  private readonly masker: PieceMasker;
  private readonly tail = new TailRing(EXCERPT);
  private head = '';
  private characters = 0;

  constructor({ mask, overlap }: Mask) {
    this.masker = new PieceMasker(mask, overlap);
  }

  push(text: string): void {
    this.characters += text.length;
    this.keep(this.masker.push(text));
  }

  end(): LongLine {
    this.keep(this.masker.end());
    return { head: this.head, tail: this.tail.lastText(EXCERPT), characters: this.characters };
  }

  // After masking: a cut before it could split a secret.
  private keep(masked: string): void {
    if (this.head.length < EXCERPT) this.head += masked.slice(0, EXCERPT - this.head.length);
    this.tail.push(Buffer.from(masked));
  }
}
