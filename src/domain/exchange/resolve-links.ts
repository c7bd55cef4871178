// Decides which links of an imported backlog the queue takes over. It drops and reports links that close a cycle.
import { type Edges, removeCycles } from '../tasks/dag.ts';

export type LinkedTask = {
  id: number;
  /** The task's name in problem messages. */
  name: string;
  parent: number | null;
  depends_on: readonly number[];
};

export type Links = {
  parents: ReadonlyMap<number, number>;
  depends_on: ReadonlyMap<number, readonly number[]>;
  problems: readonly string[];
};

/** `fixed`: edges of the queue that the file must not change. */
export function resolveLinks(tasks: readonly LinkedTask[], fixed: Edges<number>, partsFirst: boolean): Links {
  const names = new Map(tasks.map(({ id, name }) => [id, name]));
  const nameOf = (id: number): string => names.get(id) ?? `#${id}`;
  const parents = removeCycles(
    new Map(tasks.flatMap(({ id, parent }) => (parent === null ? [] : [[id, [parent]] as const]))),
    () => 1,
  );
  const parentOf = new Map([...parents.edges].flatMap(([id, [parent]]) => (parent ? [[id, parent]] : [])));

  const ownEdges = new Map(tasks.map(({ id, depends_on }) => [id, new Set(depends_on)]));
  const derived = partsFirst ? partsBeforeWhole(tasks, parentOf) : new Map<number, Set<number>>();
  const all = new Map<number, readonly number[]>(fixed);
  for (const { id, depends_on } of tasks)
    all.set(id, [...new Set([...(fixed.get(id) ?? []), ...depends_on, ...(derived.get(id) ?? [])])]);
  const { edges, removed } = removeCycles(all, (from, to) => {
    if (fixed.get(from)?.includes(to)) return 0;
    return ownEdges.get(from)?.has(to) ? 1 : 2;
  });
  const isOwnEdge = ({ from, to }: { from: number; to: number }): boolean =>
    ownEdges.get(from)?.has(to) === true;
  return {
    parents: parentOf,
    depends_on: new Map(
      tasks.map(({ id, depends_on }) => {
        const wanted = new Set([...depends_on, ...(derived.get(id) ?? [])]);
        return [id, (edges.get(id) ?? []).filter((one) => wanted.has(one)).sort((a, b) => a - b)];
      }),
    ),
    problems: [
      ...parents.removed.map(
        ({ from, to, cycle }) =>
          `${nameOf(from)} is part of ${nameOf(to)}, which closes the cycle ${cycle.map(nameOf).join(' → ')}; it came in without a parent.`,
      ),
      ...removed
        .filter(isOwnEdge)
        .map(
          ({ from, to, cycle }) =>
            `${nameOf(from)} depends on ${nameOf(to)}, which closes the cycle ${cycle.map(nameOf).join(' → ')}; that link was left out.`,
        ),
    ],
  };
}

/** Parts come first: an agent that worked on the whole first would do the work of its parts, too. */
function partsBeforeWhole(
  tasks: readonly LinkedTask[],
  parentOf: ReadonlyMap<number, number>,
): Map<number, Set<number>> {
  const own = new Map(tasks.map(({ id, depends_on }) => [id, depends_on]));
  const derived = new Map<number, Set<number>>();
  const add = (from: number, to: number): void => {
    if (from === to) return;
    const targets = derived.get(from);
    if (targets === undefined) derived.set(from, new Set([to]));
    else targets.add(to);
  };
  for (const [id, parent] of parentOf) {
    add(parent, id);
    const ancestors = [];
    for (let one: number | undefined = parent; one !== undefined; one = parentOf.get(one))
      ancestors.push(one);
    for (const ancestor of ancestors)
      for (const dependency of own.get(ancestor) ?? [])
        if (!ancestors.includes(dependency)) add(id, dependency);
  }
  return derived;
}
