import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type LinkedTask, resolveLinks } from '../../../src/domain/exchange/resolve-links.ts';
import { findCycle } from '../../../src/domain/tasks/dag.ts';
import { cycleText, type Rank, removeCycles } from '../../../src/domain/tasks/remove-cycles.ts';

const COUNT = 3_000;

type Shape = (id: number) => Pick<LinkedTask, 'parent' | 'depends_on'>;

const nested: Shape = (id) => ({ parent: id === 1 ? null : id - 1, depends_on: [] });

/** Nested one in the other, or side by side, with links that contradict or repeat the nesting. */
const SHAPES: Record<string, Shape> = {
  'each a part of the one before, which depends on it, too': (id) => ({
    ...nested(id),
    depends_on: id === COUNT ? [] : [id + 1],
  }),
  'each a part of the one before, and depends on it': (id) => ({
    ...nested(id),
    depends_on: id === 1 ? [] : [id - 1],
  }),
  'each a part of the one before, with a dependency of its own': (id) =>
    id * 2 <= COUNT ? { ...nested(id), depends_on: [id + COUNT / 2] } : { parent: null, depends_on: [] },
  'all parts of one epic that depends on them': (id) => ({
    parent: id === 1 ? null : 1,
    depends_on: id === 1 ? Array.from({ length: COUNT - 1 }, (_, index) => index + 2) : [],
  }),
  'all parts of one epic, in a row whose first depends on the epic': (id) => ({
    parent: id === 1 ? null : 1,
    depends_on: id === 1 ? [] : [id - 1],
  }),
};

const tasksOf = (shape: Shape, count = COUNT): LinkedTask[] =>
  Array.from({ length: count }, (_, index) => ({
    id: index + 1,
    name: `x-${index + 1}`,
    isOpen: true,
    isDraft: false,
    ...shape(index + 1),
  }));

describe('resolving the links of a backlog', () => {
  it.each(Object.entries(SHAPES))('3,000 nested issues get about two links each: %s', (_, shape) => {
    const { depends_on } = resolveLinks(tasksOf(shape), new Map(), true);
    expect([...depends_on.values()].flat().length).toBeLessThanOrEqual(2 * COUNT);
    expect(findCycle(depends_on)).toBeNull();
  });

  it('a part waits for what every whole around it depends on, directly or through its own parts', () => {
    // 1 > 2 > 3: the outer two depend on 4 and 5. Task 6 is a closed part of 7, which is a part of 1.
    const links: Record<number, Pick<LinkedTask, 'parent' | 'depends_on'>> = {
      1: { parent: null, depends_on: [4] },
      2: { parent: 1, depends_on: [5] },
      3: { parent: 2, depends_on: [] },
      6: { parent: 7, depends_on: [] },
      7: { parent: 1, depends_on: [] },
    };
    const tasks = tasksOf((id) => links[id] ?? { parent: null, depends_on: [] }, 7);
    const { depends_on } = resolveLinks(
      tasks.map((task) => ({ ...task, isOpen: task.id !== 6 })),
      new Map(),
      true,
    );
    expect(Object.fromEntries(depends_on)).toEqual({
      1: [2, 4, 7],
      2: [3, 5],
      3: [4, 5],
      4: [],
      5: [],
      6: [4],
      // Nothing is left to wait for in its part, so it waits itself.
      7: [4, 6],
    });
  });
});

const graphs = fc
  .array(fc.tuple(fc.nat(5), fc.nat(5), fc.constantFrom<Rank>(1, 2)), { maxLength: 30 })
  .map((triples) => {
    const ranks = new Map<string, Rank>();
    // Edges to smaller numbers form no cycle, so some of them may be of rank 0.
    for (const [from, to, rank] of triples) ranks.set(`${from} ${to}`, from > to + 2 ? 0 : rank);
    return ranks;
  });

const toEdges = (pairs: Iterable<string>): Map<number, number[]> => {
  const edges = new Map<number, number[]>();
  for (const pair of pairs) {
    const [from = 0, to = 0] = pair.split(' ').map(Number);
    edges.set(from, [...(edges.get(from) ?? []), to]);
  }
  return edges;
};

describe('removing cycles', () => {
  it('no cycle is left, rank 0 stays, and every removed edge is the weakest of a cycle', () => {
    fc.assert(
      fc.property(graphs, (ranks) => {
        const rankOf = (from: number, to: number): Rank => ranks.get(`${from} ${to}`) ?? 0;
        const { edges, removed } = removeCycles(toEdges(ranks.keys()), rankOf);
        expect(findCycle(edges)).toBeNull();
        const kept = [...edges].flatMap(([from, targets]) => targets.map((to) => `${from} ${to}`));
        expect(kept.length + removed.length).toBe(ranks.size);
        for (const { from, to, cycle } of removed) {
          const pairs = cycle.slice(1).map((node, index) => `${cycle[index]} ${node}`);
          expect(pairs).toContain(`${from} ${to}`);
          expect(cycle[0]).toBe(cycle.at(-1));
          const weakest = Math.max(...pairs.map((pair) => ranks.get(pair) ?? 9));
          expect([weakest, rankOf(from, to) > 0]).toEqual([rankOf(from, to), true]);
        }
      }),
    );
  });

  it.each(Object.entries(SHAPES))('each link is looked at a few times only: %s', (_, shape) => {
    let looks = 0;
    const counted = (targets: number[]): number[] =>
      new Proxy(targets, {
        get: (target, key, self) => {
          if (typeof key === 'string' && key !== 'filter') looks += 1;
          return Reflect.get(target, key, self);
        },
      });
    const tasks = tasksOf(shape);
    const parts = new Map<number, number[]>();
    for (const { id, parent } of tasks)
      if (parent !== null) parts.set(parent, [...(parts.get(parent) ?? []), id]);
    const own = new Map(tasks.map(({ id, depends_on }) => [id, new Set(depends_on)]));
    const all = new Map(
      tasks.map(({ id, depends_on }) => [id, counted([...depends_on, ...(parts.get(id) ?? [])])]),
    );
    removeCycles(all, (from, to) => (own.get(from)?.has(to) ? 1 : 2));
    expect(looks).toBeLessThan(20 * COUNT);
  });

  it('a long cycle is named by its ends', () => {
    const ring = new Map(Array.from({ length: 50 }, (_, id) => [id, [(id + 1) % 50]]));
    const [removed] = removeCycles(ring, () => 1).removed;
    expect(cycleText(removed?.cycle ?? [])).toBe('0 → 1 → 2 → 3 → 4 → … → 45 → 46 → 47 → 48 → 49 → 0');
  });
});
