import { eastAsianWidth } from 'get-east-asian-width';
import type { Look } from './row.ts';
import { type Cell, paint } from './style.ts';

export type Column = {
  title: string;
  cells: readonly (string | Cell)[];
  align?: 'right';
  /** Shrinks when the line is too long. */
  flexible?: boolean;
  /** The few values that the cells repeat: each is measured and drawn once. */
  words?: readonly (string | Cell)[];
  /** Only digits, so the width is the length. */
  digits?: boolean;
};

const GAP = '  ';

export function table(columns: readonly Column[], terminal: Look): string {
  const last = columns.at(-1);
  // No column follows the last one, so its width does not matter if nothing is cut.
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

/** Lines are joined in blocks: short-lived strings cost the garbage collector little. */
const LINES_PER_BLOCK = 500;

function columnWidth({ title, cells, words = cells, digits }: Column): number {
  let most = width(title);
  for (const cell of words) {
    const taken = digits ? cellText(cell).length : width(cellText(cell));
    if (taken > most) most = taken;
  }
  return most;
}

/** Draws a cell padded to the size, with the gap after it. */
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
  // With wide characters a string is shorter than its width.
  const length = size + text.length - taken;
  return align === 'right' ? text.padStart(length) : text.padEnd(length);
}

/** Ten thousand lines are drawn before V8 optimises the code, so repeated cells are drawn once. */
function memoize(draw: (cell: string | Cell) => string): (cell: string | Cell) => string {
  const results = new Map<string | Cell, string>();
  return (cell) => {
    const found = results.get(cell);
    if (found !== undefined) return found;
    const drawn = draw(cell);
    results.set(cell, drawn);
    return drawn;
  };
}

const cellText = (cell: string | Cell): string => (typeof cell === 'string' ? cell : cell.text);

const MIN_COLUMNS = 10;

/** Narrows the widest flexible column step by step until the line fits or every one is at its minimum. */
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

/** At most this many columns, with … if something was cut. */
export function clip(text: string, size: number): string {
  if (width(text) <= size) return text;
  let cut = '';
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (width(cut + segment) >= size) break;
    cut += segment;
  }
  return `${cut}…`;
}

/** Columns that a text takes on a terminal. Fast path: ASCII and Ralph's own symbols take one column each. */
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
