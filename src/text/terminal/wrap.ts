import { width } from './table.ts';

/** Breaks lines at this many columns, between words if possible; continuation lines are indented to the first word. */
export function wrap(text: string, columns: number): string {
  return text
    .split('\n')
    .map((line) => (width(line) <= columns ? line : wrapLine(line, columns)))
    .join('\n');
}

function wrapLine(line: string, columns: number): string {
  const [begin = ''] = /^\s*(?:(?:[-*+>]|\d{1,3}[.)])\s+)?/.exec(line) ?? [];
  const lead = begin.slice(0, Math.floor(columns / 2));
  const indent = ' '.repeat(lead.length);
  const lines: string[] = [];
  let current = lead;
  let isFresh = true;
  for (const word of line.slice(lead.length).trim().split(/\s+/)) {
    for (const piece of splitWord(word, columns - indent.length)) {
      const longer = isFresh ? current + piece : `${current} ${piece}`;
      if (isFresh || width(longer) <= columns) {
        current = longer;
      } else {
        lines.push(current);
        current = indent + piece;
      }
      isFresh = false;
    }
  }
  return [...lines, current].join('\n');
}

/** Splits a word that is longer than a line, such as a path or a hash. */
function splitWord(word: string, columns: number): string[] {
  if (width(word) <= columns) return [word];
  const pieces = [''];
  for (const { segment } of new Intl.Segmenter().segment(word)) {
    const last = pieces.at(-1) ?? '';
    if (width(last + segment) <= columns) pieces[pieces.length - 1] = last + segment;
    else pieces.push(segment);
  }
  return pieces;
}
