// Decides which links of an imported backlog the queue takes over. It drops and reports links that close a cycle.
import type { Edges } from '../tasks/dag.ts';
import { cycleText, removeCycles } from '../tasks/remove-cycles.ts';

export type LinkedTask = {
  id: number;
  /** The task's name in problem messages. */
  name: string;
  parent: number | null;
  depends_on: readonly number[];
  isOpen: boolean;
  /** Its parent does not wait for it: no session works on it before a person approves it. */
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
  const displayName = (id: number): string => names.get(id) ?? `#${id}`;
  const parents = removeCycles(
    new Map(tasks.flatMap(({ id, parent }) => (parent === null ? [] : [[id, [parent]] as const]))),
    () => 1,
  );
  const parentById = new Map([...parents.edges].flatMap(([id, [parent]]) => (parent ? [[id, parent]] : [])));

  const ownEdges = new Map(tasks.map(({ id, depends_on }) => [id, new Set(depends_on)]));
  const derived = partsFirst ? partsBeforeWhole(tasks, parentById) : new Map<number, Set<number>>();
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
    parents: parentById,
    depends_on: new Map(
      tasks.map(({ id, depends_on }) => {
        const wanted = new Set([...depends_on, ...(derived.get(id) ?? [])]);
        return [id, (edges.get(id) ?? []).filter((one) => wanted.has(one)).sort((a, b) => a - b)];
      }),
    ),
    problems: [
      ...parents.removed.map(
        ({ from, to, cycle }) =>
          `${displayName(from)} is part of ${displayName(to)}, which closes the cycle ${cycleText(cycle, displayName)}; it came in without a parent.`,
      ),
      ...removed
        .filter(isOwnEdge)
        .map(
          ({ from, to, cycle }) =>
            `${displayName(from)} depends on ${displayName(to)}, which closes the cycle ${cycleText(cycle, displayName)}; that link was left out.`,
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

// Which task is a part of which, answered without walking up the family for each question.

type Family = {
  /** Whether the task is a part of the whole, directly or not. */
  isPartOf(id: number, whole: number): boolean;
  /** All tasks with a parent or parts; a whole comes before its parts. */
  ids: readonly number[];
};

/** `parentOf` must have no cycle. Not recursive, because a family may be thousands of levels deep. */
function readFamily(parentOf: ReadonlyMap<number, number>): Family {
  const parts = new Map<number, number[]>();
  for (const [id, parent] of parentOf) {
    const siblings = parts.get(parent);
    if (siblings === undefined) parts.set(parent, [id]);
    else siblings.push(id);
  }
  const ids: number[] = [];
  /** By task: its own place in `ids`, and that of the last of its parts. */
  const places = new Map<number, { own: number; last: number }>();
  const open = [...parts.keys()].filter((id) => !parentOf.has(id));
  for (let id = open.at(-1); id !== undefined; id = open.at(-1)) {
    const place = places.get(id);
    if (place === undefined) {
      places.set(id, { own: ids.length, last: ids.length });
      ids.push(id);
      for (const part of parts.get(id) ?? []) open.push(part);
    } else {
      place.last = ids.length - 1;
      open.pop();
    }
  }
  return {
    ids,
    isPartOf: (id, whole) => {
      const [part, all] = [places.get(id), places.get(whole)];
      return part !== undefined && all !== undefined && all.own < part.own && part.own <= all.last;
    },
  };
}
