// A terminal as far as `ralph run` uses one: text in, screen out. For the picture, and for tests that look at a screen.
import { width } from '../../src/text/terminal/table.ts';

export type Look = { color: string | null; bold: boolean; dim: boolean };
export type Glyph = Look & { text: string };

const PLAIN: Look = { color: null, bold: false, dim: false };
const COLORS: Readonly<Record<string, string>> = {
  31: 'red',
  32: 'green',
  33: 'yellow',
  34: 'blue',
  36: 'cyan',
};

/** What is scrolled away is kept above: a person can look at it. */
export class Terminal {
  lines: Glyph[][] = [[]];
  isCursorShown = true;
  isWrapping = true;
  isInFrame = false;
  /** The widest that anything was written. */
  widest = 0;
  #look = PLAIN;
  #row = 0;
  #column = 0;

  constructor(
    readonly columns: number,
    /** Called when a frame is complete. */
    readonly onFrame: () => void = () => {},
  ) {}

  write(text: string): void {
    for (const [token] of text.matchAll(/\x1b\[[?\d;]*[A-Za-z]|\r|\n|\P{Cc}+/gu)) this.#take(token);
  }

  text(): string[] {
    return this.lines.map((line) =>
      line
        .map((glyph) => glyph.text)
        .join('')
        .trimEnd(),
    );
  }

  #take(token: string): void {
    if (token === '\r') this.#column = 0;
    else if (token === '\n') this.#lineFeed();
    else if (token.startsWith('\x1b')) this.#control(token.slice(2, -1), token.at(-1) ?? '');
    else for (const { segment } of new Intl.Segmenter().segment(token)) this.#put(segment);
  }

  /** As with the usual settings of a terminal, which begin a new line at its beginning. */
  #lineFeed(): void {
    this.#row += 1;
    this.#column = 0;
    this.lines[this.#row] ??= [];
  }

  #put(segment: string): void {
    const taken = width(segment);
    if (this.#column + taken > this.columns) {
      if (!this.isWrapping) return;
      this.#lineFeed();
    }
    const line = this.lines[this.#row] ?? [];
    while (line.length < this.#column) line.push({ ...PLAIN, text: ' ' });
    line[this.#column] = { ...this.#look, text: segment };
    for (let more = 1; more < taken; more++) line[this.#column + more] = { ...this.#look, text: '' };
    this.#column += taken;
    this.widest = Math.max(this.widest, this.#column);
  }

  #control(parameters: string, letter: string): void {
    if (letter === 'A') this.#row = Math.max(0, this.#row - Number(parameters || 1));
    else if (letter === 'J') {
      this.lines.length = this.#row + 1;
      this.lines[this.#row]?.splice(this.#column);
    } else if (letter === 'm') for (const code of parameters.split(';')) this.#paint(code);
    else if (letter === 'h' || letter === 'l') this.#mode(parameters, letter === 'h');
    else throw new Error(`This terminal does not know ESC [ ${parameters} ${letter}.`);
  }

  #mode(name: string, isSet: boolean): void {
    if (name === '?7') this.isWrapping = isSet;
    else if (name === '?25') this.isCursorShown = isSet;
    else if (name === '?2026') {
      this.isInFrame = isSet;
      if (!isSet) this.onFrame();
    } else throw new Error(`This terminal does not know the mode ${name}.`);
  }

  #paint(code: string): void {
    if (code === '1') this.#look = { ...this.#look, bold: true };
    else if (code === '2') this.#look = { ...this.#look, dim: true };
    else if (code === '22') this.#look = { ...this.#look, bold: false, dim: false };
    else if (code === '39') this.#look = { ...this.#look, color: null };
    else if (code === '0' || code === '') this.#look = PLAIN;
    else this.#look = { ...this.#look, color: COLORS[code] ?? null };
  }
}
