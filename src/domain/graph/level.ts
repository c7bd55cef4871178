// How far down each thing of a column stands: as near to its neighbours as the order and the gaps allow.

export type Heights = {
  /** Of a thing of a column: even, so that its middle is a whole number. */
  height: (one: number) => number;
  isBend: (one: number) => boolean;
  gap: number;
};

const SWEEPS = 6;
/** A long edge stays straight, whatever stands beside it would like. */
const BEND_WEIGHT = 10_000;

/** The middle of each, as a whole number; the least of all tops is 0. */
export function assignHeights(
  columns: readonly (readonly number[])[],
  left: readonly (readonly number[])[],
  right: readonly (readonly number[])[],
  heights: Heights,
): number[] {
  const y: number[] = [];
  const put = (column: readonly number[], middles: readonly number[]): void =>
    column.forEach((one, index) => {
      y[one] = middles[index] ?? 0;
    });
  for (const column of columns) put(column, offsets(column, heights));
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const isForth = sweep % 2 === 0;
    const isLast = sweep >= SWEEPS - 2;
    for (const column of isForth ? columns : [...columns].reverse()) {
      const wanted = column.map((one) => {
        const near = (isForth ? left : right)[one] ?? [];
        const around = isLast ? [...(left[one] ?? []), ...(right[one] ?? [])] : near;
        // A bend follows its edge first, so that a long edge is straight, and then what the edge joins.
        const bends = heights.isBend(one) ? around.filter(heights.isBend) : [];
        return mean(bends.length > 0 ? bends : around, y) ?? y[one] ?? 0;
      });
      put(column, keepApart(column, wanted, heights));
    }
  }
  const top = columns
    .flat()
    .reduce((least, one) => Math.min(least, (y[one] ?? 0) - heights.height(one) / 2), Infinity);
  return y.map((middle) => middle - top);
}

const mean = (ones: readonly number[], y: readonly number[]): number | null =>
  ones.length === 0 ? null : ones.reduce((sum, one) => sum + (y[one] ?? 0), 0) / ones.length;

/** Where each would stand if all stood as close as they may. */
function offsets(column: readonly number[], { height, gap }: Heights): number[] {
  let bottom = 0;
  return column.map((one) => {
    const middle = bottom + height(one) / 2;
    bottom += height(one) + gap;
    return middle;
  });
}

type Block = { sum: number; weight: number; size: number };

/** Nearest to what is wanted, by least squares, in this order and without touching: neighbours that want to pass each other stand together. */
function keepApart(column: readonly number[], wanted: readonly number[], heights: Heights): number[] {
  const base = offsets(column, heights);
  const blocks: Block[] = [];
  column.forEach((one, index) => {
    const weight = heights.isBend(one) ? BEND_WEIGHT : 1;
    let block: Block = { sum: weight * ((wanted[index] ?? 0) - (base[index] ?? 0)), weight, size: 1 };
    for (
      let last = blocks.at(-1);
      last !== undefined && last.sum / last.weight >= block.sum / block.weight;
      last = blocks.at(-1)
    ) {
      block = { sum: last.sum + block.sum, weight: last.weight + block.weight, size: last.size + block.size };
      blocks.pop();
    }
    blocks.push(block);
  });
  const shifts = blocks.flatMap(({ sum, weight, size }) =>
    new Array<number>(size).fill(Math.round(sum / weight)),
  );
  return base.map((offset, index) => offset + (shifts[index] ?? 0));
}
