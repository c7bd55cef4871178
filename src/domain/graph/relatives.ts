export type Link = { from: number; to: number };

/** The direct and indirect dependencies (`past`) and dependents (`future`) of a task. */
export type Relatives = { past: ReadonlySet<number>; future: ReadonlySet<number> };

export function findRelatives(links: readonly Link[], id: number): Relatives {
  const before = new Map<number, number[]>();
  const after = new Map<number, number[]>();
  for (const { from, to } of links) {
    push(before, to, from);
    push(after, from, to);
  }
  return { past: reach(before, id), future: reach(after, id) };
}

function push(ways: Map<number, number[]>, from: number, to: number): void {
  const known = ways.get(from);
  if (known === undefined) ways.set(from, [to]);
  else known.push(to);
}

function reach(ways: ReadonlyMap<number, readonly number[]>, start: number): Set<number> {
  const found = new Set<number>();
  for (const stack = [...(ways.get(start) ?? [])]; stack.length > 0; ) {
    const id = stack.pop();
    if (id === undefined || found.has(id)) continue;
    found.add(id);
    stack.push(...(ways.get(id) ?? []));
  }
  return found;
}
