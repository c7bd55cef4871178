import fc from 'fast-check';
import { expect, it } from 'vitest';
import { layoutGraph } from '../../../src/domain/graph/layout.ts';
import { drawLanes, type LaneRow } from '../../../src/text/graph/graph-lanes.ts';
import { acyclic } from '../../support/graphs.ts';
import { tries } from '../../support/tries.ts';

/** Waves with a blank line before each, as a list shows them. */
const rows = acyclic(14).map((graph): (LaneRow | null)[] => {
  const waitsFor = new Map(graph.map(({ id, depends_on }) => [id, [...new Set(depends_on)]]));
  const placed = layoutGraph(graph).nodes.toSorted((a, b) => a.layer - b.layer || a.order - b.order);
  return placed.flatMap(({ id, layer }, index) => {
    const row = { id, waitsFor: waitsFor.get(id) ?? [], symbol: 'o' };
    return layer === placed[index - 1]?.layer ? [row] : [null, row];
  });
});

it('the lanes connect each task with what it waits for, and with nothing else', () => {
  fc.assert(
    fc.property(rows, (list) => {
      const lines = drawLanes(list, 99) ?? [];
      expect(new Set(lines.map((line) => line.length)).size).toBeLessThanOrEqual(1);
      expect(followed(lines, list)).toEqual(list.map((row) => (row === null ? null : new Set(row.waitsFor))));
    }),
    { numRuns: tries(200) },
  );
});

it('a graph that needs too many lanes is drawn without them', () => {
  const wide = Array.from({ length: 9 }, (_, index) => ({ id: index + 1, waitsFor: [], symbol: 'o' }));
  const last = { id: 10, waitsFor: wide.map(({ id }) => id), symbol: 'o' };
  expect(drawLanes([...wide, null, last], 8)).toBeNull();
  expect(drawLanes([...wide, null, last], 9)?.at(-1)).toBe('o─┴─┴─┴─┴─┴─┴─┴─┘ ');
});

/** As a reader would: down the lanes, and along the line to the task. A line from nowhere leads to task 0. */
function followed(lines: readonly string[], list: readonly (LaneRow | null)[]): (Set<number> | null)[] {
  const owners: (number | null)[] = [];
  return lines.map((line, index) => {
    const row = list[index] ?? null;
    const own = line.indexOf('o') / 2;
    const found = new Set<number>();
    let [first, last] = [own, own];
    while (row !== null && line[2 * first - 1] === '─') first--;
    while (row !== null && line[2 * last + 1] === '─') last++;
    for (let lane = 0; 2 * lane < line.length; lane++) {
      const sign = line[2 * lane] ?? ' ';
      const owner = owners[lane] ?? null;
      const isJoined = lane >= first && lane <= last && '┘└┴┤├┼'.includes(sign);
      const isStraight = lane === own && '│┤├┼'.includes(lines[index - 1]?.[2 * lane] ?? ' ');
      if (row !== null && (isJoined || isStraight)) found.add(owner ?? 0);
      if (sign === '│' && owner === null) found.add(0);
      owners[lane] = lane === own && row !== null ? row.id : '│┤├┼'.includes(sign) ? owner : null;
    }
    return row === null ? null : found;
  });
}
