// Reorders the columns so that few edges cross: sweeps to and fro move each node to the middle of its neighbours.
import type { BentGraph } from './bends.ts';

/** Above this number of items, more items mean fewer sweeps. */
const FULL_SWEEP_ITEMS = 2_000;
const MAX_SWEEPS = 12;

export function uncross({ columns, left, right }: BentGraph): number[][] {
  const size = columns.reduce((sum, column) => sum + column.length, 0);
  const sweeps = Math.max(
    2,
    Math.min(MAX_SWEEPS, Math.floor((MAX_SWEEPS * FULL_SWEEP_ITEMS) / Math.max(1, size))),
  );
  const at = new Array<number>(left.length).fill(0);
  const middles = new Array<number>(left.length).fill(0);
  let current = columns.map((column) => [...column]);
  const settle = (column: readonly number[]): void =>
    column.forEach((one, index) => {
      at[one] = index;
    });
  current.forEach(settle);
  let best = current;
  let fewest = Number.POSITIVE_INFINITY;
  for (let sweep = 0; sweep < sweeps && fewest > 0; sweep++) {
    const isForth = sweep % 2 === 0;
    const neighbours = isForth ? left : right;
    const sorted = current.map((column) => [...column]);
    for (const column of isForth ? sorted : [...sorted].reverse()) {
      for (const one of column) middles[one] = middle(neighbours[one], at) ?? at[one] ?? 0;
      column.sort((a, b) => (middles[a] ?? 0) - (middles[b] ?? 0));
      settle(column);
    }
    current = sorted;
    const crossings = current.reduce((sum, column) => sum + countCrossings(column, right, at), 0);
    if (crossings >= fewest) continue;
    fewest = crossings;
    best = current;
  }
  return best;
}

function middle(neighbours: readonly number[] | undefined, at: readonly number[]): number | null {
  if (neighbours === undefined || neighbours.length === 0) return null;
  return neighbours.reduce((sum, one) => sum + (at[one] ?? 0), 0) / neighbours.length;
}

/** Counts crossing pairs of edges to the next column, with a Fenwick tree. */
export function countCrossings(
  column: readonly number[],
  right: readonly (readonly number[])[],
  at: readonly number[],
): number {
  const ends = column.flatMap((one) =>
    (right[one] ?? []).map((other) => at[other] ?? 0).sort((a, b) => a - b),
  );
  const sums = new Array<number>(1 + ends.reduce((a, b) => Math.max(a, b), 0) + 1).fill(0);
  let crossings = 0;
  ends.forEach((end, index) => {
    let notAbove = 0;
    for (let node = end + 1; node > 0; node -= node & -node) notAbove += sums[node] ?? 0;
    crossings += index - notAbove;
    for (let node = end + 1; node < sums.length; node += node & -node) sums[node] = (sums[node] ?? 0) + 1;
  });
  return crossings;
}
