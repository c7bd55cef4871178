import { width } from './table.ts';

/** Lines of at most this many columns, broken between words where that can be; what a line was indented by, its rest is, too. */
export function wrap(text: string, columns: number): string {
  return text
    .split('\n')
    .map((line) => (width(line) <= columns ? line : wrapLine(line, columns)))
    .join('\n');
}

function wrapLine(line: string, columns: number): string {
  const indent = /^\s*/.exec(line)?.[0].slice(0, Math.floor(columns / 2)) ?? '';
  const lines: string[] = [];
  let current = indent;
  for (const word of line.trim().split(/\s+/)) {
    for (const piece of piecesOf(word, columns - indent.length)) {
      const longer = current.trim() === '' ? current + piece : `${current} ${piece}`;
      if (width(longer) <= columns) {
        current = longer;
        continue;
      }
      lines.push(current);
      current = indent + piece;
    }
  }
  return [...lines, current].join('\n');
}

/** A word that is longer than a line: paths and hashes are. */
function piecesOf(word: string, columns: number): string[] {
  if (width(word) <= columns) return [word];
  const pieces = [''];
  for (const { segment } of new Intl.Segmenter().segment(word)) {
    const last = pieces.at(-1) ?? '';
    if (width(last + segment) <= columns) pieces[pieces.length - 1] = last + segment;
    else pieces.push(segment);
  }
  return pieces;
}
