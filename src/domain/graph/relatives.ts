import type { Point } from './layout.ts';

export type Link = { from: number; to: number };

/** The direct and indirect dependencies (`past`) and dependents (`future`) of a task. */
type Relatives = { past: ReadonlySet<number>; future: ReadonlySet<number> };

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
  const targets = ways.get(from);
  if (targets === undefined) ways.set(from, [to]);
  else targets.push(to);
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

export type Direction = 'left' | 'right' | 'up' | 'down';

type Place = Point & { id: number };

/**
 * The node that an arrow key selects: left and right follow the edges, nearest column first; up and down stay in the column. If
 * there is none, the key selects the nearest node on that side.
 */
export function stepFrom(
  nodes: readonly Place[],
  links: readonly Link[],
  id: number,
  direction: Direction,
): number | null {
  const here = nodes.find((node) => node.id === id);
  if (here === undefined) return null;
  const isAcross = direction === 'left' || direction === 'right';
  const joined = new Set(
    isAcross
      ? links.flatMap(({ from, to }) =>
          direction === 'right' ? (from === id ? [to] : []) : to === id ? [from] : [],
        )
      : nodes.flatMap((node) => (node.x === here.x ? [node.id] : [])),
  );
  const ahead = nodes.filter((node) => distance(here, node, direction) > 0);
  const preferred = ahead.filter((node) => joined.has(node.id));
  return nearest(here, preferred, direction, IN_ORDER) ?? nearest(here, ahead, direction, STRAIGHT);
}

/** The weight of a sideways distance: small to go column by column, large to prefer straight ahead. */
const [IN_ORDER, STRAIGHT] = [0.01, 3];

const distance = (from: Point, to: Point, direction: Direction): number => {
  switch (direction) {
    case 'left':
      return from.x - to.x;
    case 'right':
      return to.x - from.x;
    case 'up':
      return from.y - to.y;
    case 'down':
      return to.y - from.y;
  }
};

function nearest(here: Point, nodes: readonly Place[], direction: Direction, aside: number): number | null {
  const isAcross = direction === 'left' || direction === 'right';
  let [found, least]: [number | null, number] = [null, Number.POSITIVE_INFINITY];
  for (const node of nodes) {
    const off = Math.abs(isAcross ? node.y - here.y : node.x - here.x);
    const far = distance(here, node, direction) + aside * off;
    if (far < least) [found, least] = [node.id, far];
  }
  return found;
}
