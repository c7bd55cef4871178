// A line of a head, which is shortened if needed, and facts after it; never wider than the terminal.
import { type Format, paint } from './style.ts';
import { clip, width } from './table.ts';

export type Look = { columns: number; color: boolean };

export type Span = {
  text: string;
  format?: Format;
  /** Pads the text to this width, and cuts it if lines are cut. */
  size?: number;
  align?: 'right';
};

export type Fact = Span & {
  /** Without enough room, facts with the highest rank are dropped first. */
  rank?: number;
};

export type Row = { head: Span; facts?: readonly Fact[] /** At the right edge. */; end?: Span };

const GAP = 2;
/** A shorter head says nothing. */
const MIN_HEAD_COLUMNS = 16;

export function row({ head, facts = [], end }: Row, { columns, color }: Look): string {
  const shown = [...facts];
  const tail = end !== undefined && columns - width(end.text) - GAP >= MIN_HEAD_COLUMNS ? end : undefined;
  const room = (): number => columns - factsColumns([...shown, ...(tail === undefined ? [] : [tail])]);
  while (shown.length > 0 && room() < MIN_HEAD_COLUMNS) shown.splice(leastImportant(shown), 1);
  const isCut = columns !== Number.POSITIVE_INFINITY;
  const draw = (span: Span): string => drawSpan(span, isCut, color);
  const first = { ...head, ...(isCut && fitHead(head, room())) };
  const body = [first, ...shown].map(draw).join(' '.repeat(GAP));
  if (tail === undefined) return body.trimEnd();
  const used = Math.max(first.size ?? 0, width(first.text)) + factsColumns(shown);
  const space = isCut ? columns - used - width(tail.text) : GAP + 1;
  return `${body}${' '.repeat(space)}${draw(tail)}`;
}

function fitHead({ text, size }: Span, room: number): Partial<Span> {
  const most = Math.max(1, Math.min(size ?? room, room));
  return { text: clip(text, most), ...(size !== undefined && { size: most }) };
}

const factsColumns = (spans: readonly Span[]): number =>
  spans.reduce((total, { text, size }) => total + GAP + (size ?? width(text)), 0);

function leastImportant(facts: readonly Fact[]): number {
  const ranks = facts.map(({ rank = 0 }) => rank);
  return ranks.lastIndexOf(Math.max(...ranks));
}

function drawSpan({ text, format, size, align }: Span, isCut: boolean, color: boolean): string {
  const fitting = isCut && size !== undefined ? clip(text, size) : text;
  const space = ' '.repeat(Math.max(0, (size ?? 0) - width(fitting)));
  const painted = format === undefined ? fitting : paint(fitting, format, color);
  return align === 'right' ? space + painted : painted + space;
}

/** Items side by side, on as many lines as they need. */
export function wrapItems(lead: string, items: readonly Span[], { columns, color }: Look): string[] {
  const start = width(lead) + MIN_HEAD_COLUMNS / 2 <= columns ? lead : '';
  const lines: { taken: number; text: string }[] = [];
  for (const item of items) {
    const last = lines.at(-1);
    const text = drawSpan({ ...item, text: clip(item.text, columns - width(start)) }, true, color);
    const taken = Math.min(width(item.text), columns - width(start));
    if (last !== undefined && last.taken + GAP + taken <= columns) {
      last.taken += GAP + taken;
      last.text += ' '.repeat(GAP) + text;
    } else {
      const indent = last === undefined ? start : ' '.repeat(width(start));
      lines.push({ taken: width(start) + taken, text: indent + text });
    }
  }
  return lines.map(({ text }) => text);
}
