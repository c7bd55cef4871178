export type Linked = { readonly id: number; readonly depends_on: readonly number[] };

/** A place is an index into `nodes`, which are sorted by id. `before` and `after` hold places, without edges that close a cycle. */
export type Sorted<Node extends Linked> = {
  nodes: readonly Node[];
  before: readonly (readonly number[])[];
  after: readonly (readonly number[])[];
  /** Places in topological order: every node after its dependencies. */
  order: readonly number[];
};

/** The result does not depend on the order of the input. Dependencies outside the input are ignored. */
export function sortGraph<Node extends Linked>(tasks: readonly Node[]): Sorted<Node> {
  const byId = new Map<number, Node>();
  for (const node of tasks) byId.set(node.id, node);
  const nodes = [...byId.values()].sort((a, b) => a.id - b.id);
  const indexById = new Map(nodes.map(({ id }, place) => [id, place]));
  const dependencies = nodes.map(({ depends_on }, place) => findPlaces(depends_on, indexById, place));
  const order = sortTopologically(dependencies);
  const rank = new Array<number>(nodes.length).fill(0);
  order.forEach((place, index) => {
    rank[place] = index;
  });
  const isBefore = (other: number, place: number): boolean => (rank[other] ?? 0) < (rank[place] ?? 0);
  const before = dependencies.map((others, place) =>
    others.every((other) => isBefore(other, place))
      ? others
      : others.filter((other) => isBefore(other, place)),
  );
  return { nodes, before, after: reverseEdges(before), order };
}

/** Each place once, without the node itself. The common cases, no or one dependency, skip the sort. */
function findPlaces(
  ids: readonly number[],
  placeOf: ReadonlyMap<number, number>,
  self: number,
): readonly number[] {
  const found: number[] = [];
  for (const id of ids) {
    const place = placeOf.get(id);
    if (place !== undefined && place !== self) found.push(place);
  }
  return found.length < 2 ? found : [...new Set(found)].sort((a, b) => a - b);
}

/** If only a cycle is left, its first node goes ahead. The queue has no cycles, but this must terminate anyway. */
function sortTopologically(before: readonly (readonly number[])[]): number[] {
  const after = reverseEdges(before);
  const open = before.map((others) => others.length);
  const isTaken = new Array<boolean>(before.length).fill(false);
  const order: number[] = [];
  const take = (place: number): void => {
    isTaken[place] = true;
    order.push(place);
  };
  open.forEach((count, place) => {
    if (count === 0) take(place);
  });
  for (let next = 0, first = 0; order.length < before.length || next < order.length; next++) {
    if (next === order.length) {
      while (isTaken[first]) first++;
      take(first);
    }
    for (const other of after[order[next] ?? 0] ?? []) {
      const left = (open[other] ?? 0) - 1;
      open[other] = left;
      if (left === 0 && !isTaken[other]) take(other);
    }
  }
  return order;
}

function reverseEdges(edges: readonly (readonly number[])[]): number[][] {
  const back: number[][] = edges.map(() => []);
  edges.forEach((others, place) => {
    for (const other of others) back[other]?.push(place);
  });
  return back;
}
