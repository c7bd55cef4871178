// Draws lanes beside a list: each task has a lane down to the last task that waits for it.

export type LaneRow = { id: number; waitsFor: readonly number[]; symbol: string };

/** A task, or null for a line without one that lanes pass. */
type Row = LaneRow | null;

/** The prefix of each row, all of one width; null if it would take more than `maxLanes`. */
export function drawLanes(rows: readonly Row[], maxLanes: number): string[] | null {
  const lastUse = new Map<number, number>();
  rows.forEach((row, index) => {
    for (const other of row?.waitsFor ?? []) lastUse.set(other, index);
  });
  const lanes: (number | null)[] = [];
  const lines: string[] = [];
  for (const [index, row] of rows.entries()) {
    const ends = (lane: number | null): boolean => lane !== null && (lastUse.get(lane) ?? -1) <= index;
    if (row === null) {
      lines.push(lanes.map((lane) => (lane === null ? '  ' : '│ ')).join(''));
      continue;
    }
    const joined = lanes.map((lane) => lane !== null && row.waitsFor.includes(lane));
    const own = chooseLane(lanes, joined, ends);
    if (own >= maxLanes) return null;
    lines.push(drawRow(lanes, joined, own, row.symbol, ends));
    lanes[own] = null;
    joined.forEach((isJoined, lane) => {
      if (isJoined && ends(lanes[lane] ?? null)) lanes[lane] = null;
    });
    lanes[own] = (lastUse.get(row.id) ?? -1) > index ? row.id : null;
  }
  const width = lines.reduce((most, line) => Math.max(most, line.length), 0);
  return lines.map((line) => line.padEnd(width));
}

/** The lane of a dependency that nothing else waits for; otherwise the first free lane. */
function chooseLane(
  lanes: readonly (number | null)[],
  joined: readonly boolean[],
  ends: (lane: number | null) => boolean,
): number {
  const straight = lanes.findIndex((lane, index) => joined[index] === true && ends(lane));
  if (straight !== -1) return straight;
  const free = lanes.indexOf(null);
  return free === -1 ? lanes.length : free;
}

function drawRow(
  lanes: readonly (number | null)[],
  joined: readonly boolean[],
  own: number,
  symbol: string,
  ends: (lane: number | null) => boolean,
): string {
  const touched = [own, ...joined.flatMap((isJoined, lane) => (isJoined ? [lane] : []))];
  const [first, last] = [Math.min(...touched), Math.max(...touched)];
  let line = '';
  for (let lane = 0; lane < Math.max(lanes.length, own + 1); lane++) {
    const isOpen = (lanes[lane] ?? null) !== null;
    if (lane === own) line += symbol;
    else if (joined[lane] === true)
      line +=
        CORNERS[
          `${lane > first ? 'l' : ''}${lane < last ? 'r' : ''}${ends(lanes[lane] ?? null) ? '' : 'd'}`
        ] ?? '│';
    else if (isOpen) line += '│';
    else line += lane > first && lane < last ? '─' : ' ';
    line += lane >= first && lane < last ? '─' : ' ';
  }
  return line;
}

/** All come from above; l, r, d: they continue to the left, to the right, down. */
const CORNERS: Readonly<Record<string, string>> = { l: '┘', r: '└', lr: '┴', ld: '┤', rd: '├', lrd: '┼' };
