// Decides which links of an imported backlog the queue takes over. It drops and reports links that close a cycle.
import type { Edges } from '../tasks/dag.ts';
import { cycleText, removeCycles } from '../tasks/remove-cycles.ts';
import { readFamily } from './family.ts';

export type LinkedTask = {
  id: number;
  /** The task's name in problem messages. */
  name: string;
  parent: number | null;
  depends_on: readonly number[];
  isOpen: boolean;
  /** Its whole does not wait for it: nobody works on it before a person approves it. */
  isDraft: boolean;
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
  // In the order of the file: the walk drops the same link of a cycle again, whatever the queue holds by then.
  const all = new Map<number, readonly number[]>();
  for (const { id, depends_on } of tasks)
    all.set(id, [...new Set([...(fixed.get(id) ?? []), ...depends_on, ...(derived.get(id) ?? [])])]);
  for (const [id, depends_on] of fixed) if (!all.has(id)) all.set(id, depends_on);
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
          `${nameOf(from)} is part of ${nameOf(to)}, which closes the cycle ${cycleText(cycle, nameOf)}; it came in without a parent.`,
      ),
      ...removed
        .filter(isOwnEdge)
        .map(
          ({ from, to, cycle }) =>
            `${nameOf(from)} depends on ${nameOf(to)}, which closes the cycle ${cycleText(cycle, nameOf)}; that link was left out.`,
        ),
    ],
  };
}

/**
 * Parts come first: an agent that worked on the whole first would do the work of its parts, too. A task without open parts waits
 * for what its wholes depend on; a whole waits for that through its parts, so that links do not multiply with the depth.
 */
function partsBeforeWhole(
  tasks: readonly LinkedTask[],
  parentOf: ReadonlyMap<number, number>,
): Map<number, Set<number>> {
  const { isPartOf, ids } = readFamily(parentOf);
  // Parts of the same whole do not wait for each other, although the whole may name them as its dependencies.
  const outside = new Map(
    tasks.map(({ id, depends_on }) => [id, depends_on.filter((one) => !isPartOf(one, id))]),
  );
  const drafts = new Set(tasks.flatMap(({ id, isDraft }) => (isDraft ? [id] : [])));
  const hasOpenParts = new Set(
    tasks.flatMap(({ id, isOpen, isDraft }) => (isOpen && !isDraft ? [parentOf.get(id)] : [])),
  );
  /** By task: the nearest whole of it that depends on anything. */
  const waiting = new Map<number, number | undefined>();
  const derived = new Map<number, Set<number>>();
  const add = (from: number, to: number): void =>
    void derived.set(from, (derived.get(from) ?? new Set()).add(to));
  for (const id of ids) {
    const parent = parentOf.get(id);
    if (parent === undefined) continue;
    if (!drafts.has(id)) add(parent, id);
    waiting.set(id, outside.get(parent)?.length ? parent : waiting.get(parent));
    if (hasOpenParts.has(id)) continue;
    for (let whole = waiting.get(id); whole !== undefined; whole = waiting.get(whole))
      for (const dependency of outside.get(whole) ?? []) if (!isPartOf(id, dependency)) add(id, dependency);
  }
  return derived;
}
