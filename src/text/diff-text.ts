import { visible } from '../domain/text/text.ts';
import { type Format, paint } from './terminal/style.ts';

/** A patch for a terminal: agents wrote its lines, so control characters become visible. */
export function diffText(diff: string, color: boolean): string {
  let isHead = true;
  return diff
    .trimEnd()
    .split('\n')
    .map((line) => {
      // A removed line may look like a head, such as `--- a/x`: only the lines before a hunk are one.
      if (line.startsWith('diff --git ')) isHead = true;
      else if (line.startsWith('@@ ')) isHead = false;
      const format = lineFormat(line, isHead);
      return format === null ? visible(line) : paint(visible(line), format, color);
    })
    .join('\n');
}

/** The same for one file whose patch has no head. */
export const definitionDiff = (path: string, diff: string, color: boolean): string =>
  [
    paint(visible(path), 'bold', color),
    ...diff.split('\n').map((line) => {
      const format = lineFormat(line === '@@' ? '@@ ' : line, false);
      return format === null ? visible(line) : paint(visible(line), format, color);
    }),
  ].join('\n');

function lineFormat(line: string, isHead: boolean): Format | null {
  if (isHead) return 'bold';
  if (line.startsWith('@@ ')) return 'cyan';
  if (line.startsWith('+')) return 'green';
  return line.startsWith('-') ? 'red' : null;
}
