import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compareReady, findCycle } from '../../../src/domain/tasks/dag.ts';

it('a cycle is reported as the path that closes it', () => {
  expect(
    findCycle(
      new Map([
        [1, [2]],
        [2, [3]],
        [3, [1]],
      ]),
    ),
  ).toEqual([1, 2, 3, 1]);
  expect(findCycle(new Map([[1, [1]]]))).toEqual([1, 1]);
  expect(
    findCycle(
      new Map([
        ['a', ['b', 'c']],
        ['b', ['c']],
      ]),
    ),
  ).toBeNull();
});

it('a chain of 100,000 tasks does not exhaust the stack', () => {
  const chain = new Map(Array.from({ length: 100_000 }, (_, id) => [id, [id + 1]]));
  expect(findCycle(chain)).toBeNull();
  chain.set(100_000, [0]);
  expect(findCycle(chain)).toHaveLength(100_002);
});

it('edges to smaller numbers form no cycle, and any ring is found as a cycle', () => {
  const edges = fc.array(fc.tuple(fc.nat(30), fc.nat(30)), { maxLength: 60 });
  fc.assert(
    fc.property(edges, (pairs) => {
      const graph = new Map<number, number[]>();
      for (const [from, to] of pairs) if (from > to) graph.set(from, [...(graph.get(from) ?? []), to]);
      expect(findCycle(graph)).toBeNull();
    }),
  );
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(50), { minLength: 1 }), (ring) => {
      const graph = new Map(ring.map((node, index) => [node, [ring[(index + 1) % ring.length] ?? node]]));
      const cycle = findCycle(graph);
      expect(cycle?.[0]).toBe(cycle?.at(-1));
      cycle?.slice(1).forEach((node, index) => void expect(graph.get(cycle[index] ?? -1)).toContain(node));
    }),
  );
});

it('ready tasks are ordered by priority, then by the rank of the feature, then by id', () => {
  const tasks = [
    { id: 4, priority: 'low', feature_rank: 1 },
    { id: 3, priority: 'high', feature_rank: 9 },
    { id: 2, priority: 'high', feature_rank: 2 },
    { id: 1, priority: 'high', feature_rank: 9 },
    { id: 5, priority: 'critical', feature_rank: 9 },
  ] as const;
  expect([...tasks].sort(compareReady).map(({ id }) => id)).toEqual([5, 2, 1, 3, 4]);
});
