// Long edges bend around what stands in the columns between: in each of those they have a place of their own.

export type Edge = { from: number; to: number };

/** What stands in a column is a node or a bend; bends have the numbers from `first` on. */
export type BentGraph = {
  columns: number[][];
  /** Neighbours in the column to the left and to the right. */
  left: number[][];
  right: number[][];
  /** For each edge the bends on its way, or null where it goes around everything. */
  ways: (readonly number[] | null)[];
};

/** Two numbers below it make one that is exact. */
const MAX_ITEMS = 2 ** 26;

/**
 * Edges that leave one node share their bends, or those that reach one do: a trunk says as much as its branches side by side.
 * Beyond `most` bends, each counted for every edge that uses it, the longest edges get none, so that no graph takes for ever.
 */
export function bend(
  nodes: readonly (readonly number[])[],
  edges: readonly Edge[],
  first: number,
  most: number,
): BentGraph {
  const columns = nodes.map((column) => [...column]);
  const columnOf = new Map(columns.flatMap((column, index) => column.map((node) => [node, index] as const)));
  const span = ({ from, to }: Edge): number => (columnOf.get(to) ?? 0) - (columnOf.get(from) ?? 0);
  const [leaving, reaching] = [new Map<number, number>(), new Map<number, number>()];
  for (const edge of edges) {
    if (span(edge) < 2) continue;
    leaving.set(edge.from, (leaving.get(edge.from) ?? 0) + 1);
    reaching.set(edge.to, (reaching.get(edge.to) ?? 0) + 1);
  }
  const left: number[][] = Array.from({ length: first }, () => []);
  const right: number[][] = Array.from({ length: first }, () => []);
  const trunks = new Map<string, Map<number, number>>();
  let bends = 0;
  let steps = 0;
  const ways = new Array<readonly number[] | null>(edges.length).fill(null);
  const shortestFirst = edges.map((_, index) => index);
  shortestFirst.sort((a, b) => spanAt(a) - spanAt(b) || a - b);
  const joined = new Set<number>();
  for (const index of shortestFirst) {
    const edge = edges[index];
    if (edge === undefined) continue;
    steps += Math.max(0, span(edge) - 1);
    if (steps > most) break;
    const way = wayOf(edge);
    ways[index] = way;
    [edge.from, ...way].forEach((one, step) => void join(one, way[step] ?? edge.to));
  }
  return { columns, left, right, ways };

  function spanAt(index: number): number {
    const edge = edges[index];
    return edge === undefined ? 0 : span(edge);
  }

  function wayOf(edge: Edge): number[] {
    const isMoreJoined = (reaching.get(edge.to) ?? 0) > (leaving.get(edge.from) ?? 0);
    const name = isMoreJoined ? `to ${edge.to}` : `from ${edge.from}`;
    const trunk = trunks.get(name) ?? new Map<number, number>();
    trunks.set(name, trunk);
    const start = (columnOf.get(edge.from) ?? 0) + 1;
    return Array.from({ length: Math.max(0, span(edge) - 1) }, (_, step) => {
      const column = start + step;
      const known = trunk.get(column);
      if (known !== undefined) return known;
      const made = first + bends++;
      trunk.set(column, made);
      columns[column]?.push(made);
      left.push([]);
      right.push([]);
      return made;
    });
  }

  function join(one: number, other: number): void {
    const name = one * MAX_ITEMS + other;
    if (joined.has(name)) return;
    joined.add(name);
    right[one]?.push(other);
    left[other]?.push(one);
  }
}
