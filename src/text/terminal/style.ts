import { styleText } from 'node:util';
import { STATE_SYMBOLS, type StateWord, stateName } from '../../domain/tasks/status-word.ts';
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
