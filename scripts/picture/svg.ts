// A screen as a picture that needs nothing else: text in a monospaced font, placed by the column.

import { escapeXml } from '../../src/domain/text/text.ts';
import type { Glyph } from './terminal.ts';

const [ADVANCE, LINE, MARGIN, SIZE] = [8.4, 19, 16, 14];

const COLORS: Readonly<Record<string, string>> = {
  red: '#ff7b72',
  green: '#7ee787',
  yellow: '#e3b341',
  blue: '#79c0ff',
  cyan: '#76e3ea',
};
const [TEXT, DIM, GROUND] = ['#e6edf3', '#8b949e', '#0d1117'];

export function toSvg(lines: readonly (readonly Glyph[])[], columns: number, title: string): string {
  const [width, height] = [columns * ADVANCE + 2 * MARGIN, lines.length * LINE + 2 * MARGIN];
  const rows = lines.flatMap((line, index) => {
    const y = round(MARGIN + (index + 0.75) * LINE);
    return splitRuns(line).map(({ text, column, glyph }) => {
      // Stretched to its columns: fonts differ, and a table must stay one.
      const place = `x="${round(MARGIN + column * ADVANCE)}" y="${y}" textLength="${round(text.length * ADVANCE)}"`;
      return `<text ${place} fill="${glyphFill(glyph)}"${glyph.bold ? ' font-weight="bold"' : ''}>${escapeXml(text)}</text>`;
    });
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${round(width)} ${height}" width="${round(width)}" height="${height}" role="img" aria-label="${escapeXml(title)}">
<title>${escapeXml(title)}</title>
<rect width="100%" height="100%" rx="8" fill="${GROUND}"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="${SIZE}" xml:space="preserve">
${rows.join('\n')}
</g>
</svg>
`;
}

type Run = { text: string; column: number; glyph: Glyph };

/** What looks the same and is not parted by more than one blank is drawn at once. */
function splitRuns(line: readonly Glyph[]): Run[] {
  const runs: Run[] = [];
  let last: Run | undefined;
  line.forEach((glyph, column) => {
    const isBlank = glyph.text === ' ' && (line[column + 1]?.text ?? ' ') === ' ';
    if (isBlank) last = undefined;
    else if (last !== undefined && looksLike(last.glyph, glyph)) last.text += glyph.text;
    else if (glyph.text !== ' ') {
      last = { text: glyph.text, column, glyph };
      runs.push(last);
    }
  });
  // A blank at the end is not drawn everywhere, and what stands before it would be stretched over its column.
  return runs.map((run) => ({ ...run, text: run.text.trimEnd() }));
}

const looksLike = (one: Glyph, other: Glyph): boolean =>
  glyphFill(one) === glyphFill(other) && one.bold === other.bold;

const glyphFill = ({ color, dim }: Glyph): string =>
  color === null ? (dim ? DIM : TEXT) : (COLORS[color] ?? TEXT);

const round = (number: number): number => Math.round(number * 10) / 10;
