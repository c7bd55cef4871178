import { eastAsianWidth } from 'get-east-asian-width';
import type { Look } from './row.ts';
import { type Cell, paint } from './style.ts';

export type Column = {
  title: string;
  cells: readonly (string | Cell)[];
  align?: 'right';
  /** Gives way when the line is too long. */
  flexible?: boolean;
  /** The few words that the cells repeat, where they do: each is measured and drawn once. */
  words?: readonly (string | Cell)[];
  /** Nothing but digits: as wide as they are long. */
  digits?: boolean;
};

const GAP = '  ';

export function table(columns: readonly Column[], terminal: Look): string {
  const last = columns.at(-1);
  // Nothing stands behind the last column, so where nothing is cut its width does not matter.
  const isOpen = (column: Column): boolean =>
    column === last && terminal.columns === Number.POSITIVE_INFINITY;
  const widths = columns.map((column) => (isOpen(column) ? 0 : columnWidth(column)));
  shrink(widths, columns, terminal.columns);
  const painters = columns.map((column, index) =>
    isOpen(column)
      ? cellText
      : painter(column, widths[index] ?? 0, column === last ? '' : GAP, terminal.color),
  );
  const isPadded = last !== undefined && !isOpen(last);
  const draw = (cellOf: (column: Column) => string | Cell): string => {
    let line = '';
    for (let index = 0; index < columns.length; index++) {
      const column = columns[index];
      if (column !== undefined) line += painters[index]?.(cellOf(column)) ?? '';
    }
    return isPadded ? line.trimEnd() : line;
  };
  const blocks: string[] = [];
  let lines = [draw(({ title }) => ({ text: title, format: 'dim' }))];
  for (let row = 0; row < (last?.cells.length ?? 0); row++) {
    lines.push(draw(({ cells }) => cells[row] ?? ''));
    if (lines.length < LINES_PER_BLOCK) continue;
    blocks.push(lines.join('\n'));
    lines = [];
  }
  return [...blocks, ...lines].join('\n');
}

/** Joined now and then: parts that die young cost the garbage collector nothing. */
const LINES_PER_BLOCK = 500;

function columnWidth({ title, cells, words = cells, digits }: Column): number {
  let most = width(title);
  for (const cell of words) {
    const taken = digits ? cellText(cell).length : width(cellText(cell));
    if (taken > most) most = taken;
  }
  return most;
}

/** Draws a cell padded to the size, with the gap behind it. */
function painter(
  { align, words, digits }: Column,
  size: number,
  gap: string,
  color: boolean,
): (cell: string | Cell) => string {
  const draw = (cell: string | Cell): string => {
    if (digits && typeof cell === 'string') return cell.padStart(size) + gap;
    const text = fitCell(cellText(cell), size, align) + gap;
    return typeof cell === 'string' ? text : paint(text, cell.format, color);
  };
  return words === undefined ? draw : memoize(draw);
}

function fitCell(text: string, size: number, align: Column['align']): string {
  const taken = width(text);
  if (taken > size) return fitCell(clip(text, size), size, align);
  // A wide character makes the string shorter than what it takes.
  const length = size + text.length - taken;
  return align === 'right' ? text.padStart(length) : text.padEnd(length);
}

// Ten thousand lines are drawn before V8 has warmed up: what need not be done twice is not.
function memoize(draw: (cell: string | Cell) => string): (cell: string | Cell) => string {
  const known = new Map<string | Cell, string>();
  return (cell) => {
    const found = known.get(cell);
    if (found !== undefined) return found;
    const drawn = draw(cell);
    known.set(cell, drawn);
    return drawn;
  };
}

const cellText = (cell: string | Cell): string => (typeof cell === 'string' ? cell : cell.text);

const MIN_COLUMNS = 10;

/** Takes from the widest column that may give way, again and again, until the line fits or nothing is left to take. */
function shrink(widths: number[], columns: readonly Column[], available: number): void {
  let excess = widths.reduce((sum, one) => sum + one, GAP.length * (widths.length - 1)) - available;
  while (excess > 0) {
    const flexible = widths.map((size, index) => (columns[index]?.flexible ? size : 0));
    const widest = Math.max(...flexible);
    if (widest <= MIN_COLUMNS) return;
    widths[flexible.indexOf(widest)] = widest - 1;
    excess -= 1;
  }
}

/** At most this many columns, with a sign where something was cut. */
export function clip(text: string, size: number): string {
  if (width(text) <= size) return text;
  let cut = '';
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (width(cut + segment) >= size) break;
    cut += segment;
  }
  return `${cut}…`;
}

/** Columns a text takes on a terminal. ASCII and our own symbols, which most text is, take as many as they are long. */
export const width = (text: string): number =>
  /^[\x20-\x7e○●▶■✓✗↻─…⏎]*$/.test(text) ? text.length : wideWidth(text);

function wideWidth(text: string): number {
  let columns = 0;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    // A variation selector asks for the emoji, which is wide.
    columns += segment.includes('\ufe0f') ? 2 : eastAsianWidth(segment.codePointAt(0) ?? 0);
  }
  return columns;
}
