/** A task as far as its place in a graph is concerned. */
export type Linked = { readonly id: number; readonly depends_on: readonly number[] };

/** Nodes by place, in the order of ids; `before` and `after` are places. No way leads back: edges that close a cycle are left out. */
export type Sorted<Node extends Linked> = {
  nodes: readonly Node[];
  before: readonly (readonly number[])[];
  after: readonly (readonly number[])[];
  /** Places, every node behind all that it depends on. */
  order: readonly number[];
};

/** The same for every order of the nodes given, and without what they name that is not among them. */
export function sortGraph<Node extends Linked>(given: readonly Node[]): Sorted<Node> {
  const byId = new Map<number, Node>();
  for (const node of given) byId.set(node.id, node);
  const nodes = [...byId.values()].sort((a, b) => a.id - b.id);
  const placeOf = new Map(nodes.map(({ id }, place) => [id, place]));
  const wanted = nodes.map(({ depends_on }, place) => findPlaces(depends_on, placeOf, place));
  const order = topological(wanted);
  const rank = new Array<number>(nodes.length).fill(0);
  order.forEach((place, index) => {
    rank[place] = index;
  });
  const isBefore = (other: number, place: number): boolean => (rank[other] ?? 0) < (rank[place] ?? 0);
  const before = wanted.map((others, place) =>
    others.every((other) => isBefore(other, place))
      ? others
      : others.filter((other) => isBefore(other, place)),
  );
  return { nodes, before, after: reverseEdges(before), order };
}

/** Each once, and not the node itself. Most wait for one other or for none, and there may be thousands. */
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

/** Where a cycle holds everything up its first node goes ahead: the queue has no cycles, and this must end all the same. */
function topological(before: readonly (readonly number[])[]): number[] {
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
