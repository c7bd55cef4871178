// Routes long edges around the nodes between their ends: an edge gets a bend in each column that it crosses.

export type Edge = { from: number; to: number };

/** The items of a column are nodes and bends. Bends are numbered from `first` on. */
export type BentGraph = {
  columns: number[][];
  /** Neighbours in the column to the left and to the right. */
  left: number[][];
  right: number[][];
  /** The bends of each edge, or null if it goes below all columns. */
  ways: (readonly number[] | null)[];
};

/** The product of two numbers below this is still an exact integer. */
const MAX_ITEMS = 2 ** 26;

/**
 * Edges that leave or reach the same node share their bends, like a trunk. `maxBends` bounds the time: it counts a bend for every
 * edge that uses it, and beyond it the longest edges get no bends.
 */
export function bend(
  nodes: readonly (readonly number[])[],
  edges: readonly Edge[],
  first: number,
  maxBends: number,
): BentGraph {
  const columns = nodes.map((column) => [...column]);
  const columnByNode = new Map(
    columns.flatMap((column, index) => column.map((node) => [node, index] as const)),
  );
  const span = ({ from, to }: Edge): number => (columnByNode.get(to) ?? 0) - (columnByNode.get(from) ?? 0);
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
    if (steps > maxBends) break;
    const way = findWay(edge);
    ways[index] = way;
    [edge.from, ...way].forEach((one, step) => void join(one, way[step] ?? edge.to));
  }
  return { columns, left, right, ways };

  function spanAt(index: number): number {
    const edge = edges[index];
    return edge === undefined ? 0 : span(edge);
  }

  function findWay(edge: Edge): number[] {
    const isMoreJoined = (reaching.get(edge.to) ?? 0) > (leaving.get(edge.from) ?? 0);
    const name = isMoreJoined ? `to ${edge.to}` : `from ${edge.from}`;
    const trunk = trunks.get(name) ?? new Map<number, number>();
    trunks.set(name, trunk);
    const start = (columnByNode.get(edge.from) ?? 0) + 1;
    return Array.from({ length: Math.max(0, span(edge) - 1) }, (_, step) => {
      const column = start + step;
      const existing = trunk.get(column);
      if (existing !== undefined) return existing;
      const added = first + bends++;
      trunk.set(column, added);
      columns[column]?.push(added);
      left.push([]);
      right.push([]);
      return added;
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
