/** Lines before and after a change that are shown with it. */
const CONTEXT = 2;
/** Above it only the first and the last difference are looked for: the comparison takes memory for each pair of lines. */
const MAX_PAIRS = 4_000_000;

type Line = { sign: ' ' | '-' | '+'; text: string };

/** A patch without heads: removed lines with `-`, added ones with `+`, a few lines around them. */
export function lineDiff(before: string | null, after: string | null): string {
  const lines = compare(splitLines(before), splitLines(after));
  const near = new Set(
    lines.flatMap(({ sign }, at) =>
      sign === ' ' ? [] : Array.from({ length: 2 * CONTEXT + 1 }, (_, offset) => at + offset - CONTEXT),
    ),
  );
  return lines
    .flatMap(({ sign, text }, at) => {
      if (!near.has(at)) return [];
      const isGap = at > 0 && !near.has(at - 1);
      return isGap ? ['@@', `${sign}${text}`] : [`${sign}${text}`];
    })
    .join('\n');
}

const splitLines = (text: string | null): string[] =>
  text === null || text === '' ? [] : text.replace(/\n$/, '').split('\n');

function compare(before: readonly string[], after: readonly string[]): Line[] {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head += 1;
  let tail = 0;
  const most = Math.min(before.length, after.length) - head;
  while (tail < most && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail += 1;
  return [
    ...signed(' ', before.slice(0, head)),
    ...compareMiddle(before.slice(head, before.length - tail), after.slice(head, after.length - tail)),
    ...signed(' ', before.slice(before.length - tail)),
  ];
}

const signed = (sign: Line['sign'], lines: readonly string[]): Line[] =>
  lines.map((text) => ({ sign, text }));

/** Keeps the longest common sequence of lines. */
function compareMiddle(before: readonly string[], after: readonly string[]): Line[] {
  if (before.length * after.length > MAX_PAIRS) return [...signed('-', before), ...signed('+', after)];
  const width = after.length + 1;
  const common = new Uint32Array((before.length + 1) * width);
  const at = (row: number, column: number): number => common[row * width + column] ?? 0;
  for (let row = before.length - 1; row >= 0; row--)
    for (let column = after.length - 1; column >= 0; column--)
      common[row * width + column] =
        before[row] === after[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
  const lines: Line[] = [];
  let [row, column] = [0, 0];
  while (row < before.length || column < after.length) {
    const [old, next] = [before[row], after[column]];
    if (old !== undefined && old === next) {
      lines.push({ sign: ' ', text: old });
      [row, column] = [row + 1, column + 1];
    } else if (old !== undefined && (next === undefined || at(row + 1, column) >= at(row, column + 1))) {
      lines.push({ sign: '-', text: old });
      row += 1;
    } else {
      lines.push({ sign: '+', text: next ?? '' });
      column += 1;
    }
  }
  return lines;
}
