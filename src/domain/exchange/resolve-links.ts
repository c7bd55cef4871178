// Which links of a foreign backlog can be had: what closes a cycle is left out by name, and parts come before their whole.
import { type Edges, removeCycles } from '../tasks/dag.ts';

export type LinkedTask = {
  id: number;
  /** How a problem names it. */
  name: string;
  parent: number | null;
  depends_on: readonly number[];
};

export type Links = {
  parents: ReadonlyMap<number, number>;
  depends_on: ReadonlyMap<number, readonly number[]>;
  problems: readonly string[];
};

/** `fixed`: what else holds in the queue, and is not the file's to change. */
export function resolveLinks(tasks: readonly LinkedTask[], fixed: Edges<number>, partsFirst: boolean): Links {
  const names = new Map(tasks.map(({ id, name }) => [id, name]));
  const nameOf = (id: number): string => names.get(id) ?? `#${id}`;
  const parents = removeCycles(
    new Map(tasks.flatMap(({ id, parent }) => (parent === null ? [] : [[id, [parent]] as const]))),
    () => 1,
  );
  const parentOf = new Map([...parents.edges].flatMap(([id, [parent]]) => (parent ? [[id, parent]] : [])));

  const given = new Map(tasks.map(({ id, depends_on }) => [id, new Set(depends_on)]));
  const derived = partsFirst ? partsBeforeWhole(tasks, parentOf) : new Map<number, Set<number>>();
  const all = new Map<number, readonly number[]>(fixed);
  for (const { id, depends_on } of tasks)
    all.set(id, [...new Set([...(fixed.get(id) ?? []), ...depends_on, ...(derived.get(id) ?? [])])]);
  const { edges: kept, removed: leftOut } = removeCycles(all, (from, to) => {
    if (fixed.get(from)?.includes(to)) return 0;
    return given.get(from)?.has(to) ? 1 : 2;
  });
  const isGiven = ({ from, to }: { from: number; to: number }): boolean => given.get(from)?.has(to) === true;
  return {
    parents: parentOf,
    depends_on: new Map(
      tasks.map(({ id, depends_on }) => {
        const wanted = new Set([...depends_on, ...(derived.get(id) ?? [])]);
        return [id, (kept.get(id) ?? []).filter((one) => wanted.has(one)).sort((a, b) => a - b)];
      }),
    ),
    problems: [
      ...parents.removed.map(
        ({ from, to, cycle }) =>
          `${nameOf(from)} is part of ${nameOf(to)}, which closes the cycle ${cycle.map(nameOf).join(' → ')}; it came in without a parent.`,
      ),
      ...leftOut
        .filter(isGiven)
        .map(
          ({ from, to, cycle }) =>
            `${nameOf(from)} depends on ${nameOf(to)}, which closes the cycle ${cycle.map(nameOf).join(' → ')}; that link was left out.`,
        ),
    ],
  };
}

/** A whole that is worked on before its parts does their work, and they do it again. */
function partsBeforeWhole(
  tasks: readonly LinkedTask[],
  parentOf: ReadonlyMap<number, number>,
): Map<number, Set<number>> {
  const own = new Map(tasks.map(({ id, depends_on }) => [id, depends_on]));
  const derived = new Map<number, Set<number>>();
  const add = (from: number, to: number): void => {
    if (from === to) return;
    const known = derived.get(from);
    if (known === undefined) derived.set(from, new Set([to]));
    else known.add(to);
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
