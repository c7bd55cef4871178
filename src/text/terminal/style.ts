import { styleText } from 'node:util';
import { STATE_SYMBOLS, type StateWord, stateName } from '../../domain/tasks/status.ts';
import { modelName, visible } from '../../domain/text/text.ts';

export type Format = Parameters<typeof styleText>[0];

const FORMATS: Record<StateWord, Format> = {
  draft: 'dim',
  pending: 'reset',
  ready: 'cyan',
  waiting: 'reset',
  in_progress: 'blue',
  left_behind: 'red',
  needs_input: 'yellow',
  blocked: 'yellow',
  failed: 'red',
  done: 'green',
  skipped: 'dim',
};

export const statusCell = (word: StateWord): Cell => CELLS[word];

const CELLS = Object.fromEntries(
  Object.entries(FORMATS).map(([word, format]) => [
    word,
    { text: `${STATE_SYMBOLS[word as StateWord]} ${stateName(word as StateWord)}`, format },
  ]),
) as Record<StateWord, Cell>;

export const paint = (text: string, format: Format, color: boolean): string =>
  color ? styleText(format, text, { validateStream: false }) : text;

const HUES: readonly Format[] = ['red', 'yellow', 'green', 'cyan', 'blue', 'magenta'];

/** The nearest of the colours that every terminal has, for one such as "#2563eb". */
export function colorFormat(color: string | null): Format {
  const digits = /^#([0-9a-f]{6})$/i.exec(color ?? '')?.[1];
  if (digits === undefined) return 'reset';
  const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((at) => Number.parseInt(digits.slice(at, at + 2), 16));
  const most = Math.max(red, green, blue);
  const range = most - Math.min(red, green, blue);
  if (range < MIN_RANGE) return 'gray';
  const sector =
    most === red
      ? (green - blue) / range
      : most === green
        ? 2 + (blue - red) / range
        : 4 + (red - green) / range;
  return HUES[Math.round(sector + 6) % 6] ?? 'reset';
}

/** With less between its strongest and its weakest part, a colour looks gray. */
const MIN_RANGE = 48;

/** Untrusted text as one line, with control characters made visible. */
export const oneLine = (text: string): string =>
  PRINTABLE_ASCII.test(text) ? text : visible(text.replace(/\s*[\r\n]+\s*/g, ' ⏎ ').replace(/\t/g, ' '));

/** Fast path: most titles are ASCII. */
const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;

export type Cell = { text: string; format: Format };

/** Enough of a session's id to identify it. */
export const shortId = (id: string): string => id.slice(0, 8);

/** A title with its lines below it; null without lines, so that the title vanishes too. */
export function section(title: string, lines: readonly string[]): string | null {
  if (lines.length === 0) return null;
  const indented = lines.map((line) => `  ${line.trimEnd().replaceAll('\n', '\n  ')}`);
  return `${title}\n${indented.join('\n')}`;
}

export const shortModel = (model: string): string => oneLine(modelName(model));
