import { styleText } from 'node:util';
import { type StatusWord, statusWord } from '../domain/status.ts';
import { visible } from '../domain/text.ts';

export type Format = Parameters<typeof styleText>[0];

/** State is told by a symbol and a word; colour only repeats it. */
const LOOKS: Record<StatusWord, { symbol: string; format: Format }> = {
  draft: { symbol: '~', format: 'dim' },
  pending: { symbol: '○', format: 'reset' },
  ready: { symbol: '●', format: 'cyan' },
  waiting: { symbol: '○', format: 'reset' },
  in_progress: { symbol: '▶', format: 'blue' },
  needs_input: { symbol: '?', format: 'yellow' },
  blocked: { symbol: '■', format: 'yellow' },
  failed: { symbol: '✗', format: 'red' },
  done: { symbol: '✓', format: 'green' },
  skipped: { symbol: '-', format: 'dim' },
};

export { type StatusWord, statusWord };

export const statusCell = (word: StatusWord): Cell => CELLS[word];

const CELLS = Object.fromEntries(
  Object.entries(LOOKS).map(([word, { symbol, format }]) => [word, { text: `${symbol} ${word}`, format }]),
) as Record<StatusWord, Cell>;

export const paint = (text: string, format: Format, color: boolean): string =>
  color ? styleText(format, text, { validateStream: false }) : text;

/** One line, whatever somebody put into it. */
export const oneLine = (text: string): string =>
  PRINTABLE.test(text) ? text : visible(text.replace(/\s*[\r\n]+\s*/g, ' ⏎ ').replace(/\t/g, ' '));

/** Most text is that, and needs no further look; a list of ten thousand tasks lives from it. */
const PRINTABLE = /^[\x20-\x7e]*$/;

export type Cell = { text: string; format: Format };

export const timeOf = (milliseconds: number): string =>
  `${new Date(milliseconds).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/** Enough of a session's id to name it by. */
export const shortId = (id: string): string => id.slice(0, 8);

/** A title with its lines below it, or null so that the title vanishes, too. */
export function section(title: string, lines: readonly string[]): string | null {
  if (lines.length === 0) return null;
  const indented = lines.map((line) => `  ${line.trimEnd().replaceAll('\n', '\n  ')}`);
  return `${title}\n${indented.join('\n')}`;
}

/** As people call it, without the maker and the date. */
export const shortModel = (model: string): string =>
  oneLine(model.replace(/^claude-/, '').replace(/-\d{8}$/, ''));
