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
  const nodes = [...new Map(given.map((node) => [node.id, node])).values()].sort((a, b) => a.id - b.id);
  const placeOf = new Map(nodes.map(({ id }, place) => [id, place]));
  const wanted = nodes.map(({ depends_on }, place) =>
    [...new Set(depends_on.flatMap((id) => placeOf.get(id) ?? []))]
      .filter((other) => other !== place)
      .sort((a, b) => a - b),
  );
  const order = topological(wanted);
  const rank = new Array<number>(nodes.length).fill(0);
  order.forEach((place, index) => {
    rank[place] = index;
  });
  const before = wanted.map((others, place) =>
    others.filter((other) => (rank[other] ?? 0) < (rank[place] ?? 0)),
  );
  return { nodes, before, after: turned(before), order };
}

/** Where a cycle holds everything up its first node goes ahead: the queue has no cycles, and this must end all the same. */
function topological(before: readonly (readonly number[])[]): number[] {
  const after = turned(before);
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

function turned(edges: readonly (readonly number[])[]): number[][] {
  const back: number[][] = edges.map(() => []);
  edges.forEach((others, place) => {
    for (const other of others) back[other]?.push(place);
  });
  return back;
}
