// Assigns heights to the items of each column, as near to their neighbours as order and gaps allow.

type Heights = {
  /** The height of an item. It is even, so that the middle is an integer. */
  height: (one: number) => number;
  isBend: (one: number) => boolean;
  gap: number;
};

const SWEEPS = 6;
/** Keeps long edges straight against the pull of other items. */
const BEND_WEIGHT = 10_000;

/** The middle of each item, as an integer; the smallest top is 0. */
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
        // A bend follows other bends of its edge before nodes, so that a long edge is straight.
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

/** The middle of each item in the closest packing. */
function offsets(column: readonly number[], { height, gap }: Heights): number[] {
  let bottom = 0;
  return column.map((one) => {
    const middle = bottom + height(one) / 2;
    bottom += height(one) + gap;
    return middle;
  });
}

type Block = { sum: number; weight: number; size: number };

/** The positions nearest to the wanted ones, by least squares, without overlap. Items that want to pass each other form a block. */
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
