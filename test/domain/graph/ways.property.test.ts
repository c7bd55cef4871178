import fc from 'fast-check';
import { expect, it } from 'vitest';
import { layoutGraph } from '../../../src/domain/graph/layout.ts';
import { type Direction, findRelatives, stepFrom } from '../../../src/domain/graph/relatives.ts';
import { acyclic } from '../../support/graphs.ts';

const DIRECTIONS: readonly Direction[] = ['left', 'right', 'up', 'down'];

it('the past of a task is every task that leads to it, and its future every task that it leads to', () => {
  fc.assert(
    fc.property(acyclic(30), (tasks) => {
      const links = layoutGraph(tasks).routes;
      const relatives = new Map(tasks.map(({ id }) => [id, findRelatives(links, id)]));
      for (const [id, { past, future }] of relatives) {
        const direct = tasks.find((task) => task.id === id)?.depends_on ?? [];
        const farther = direct.flatMap((other) => [...(relatives.get(other)?.past ?? [])]);
        expect(past).toEqual(new Set([...direct, ...farther]));
        expect(past.has(id) || future.has(id)).toBe(false);
        for (const other of future) expect(relatives.get(other)?.past.has(id)).toBe(true);
      }
    }),
  );
});

it('a step goes to its side, along an edge if there is one, and steps reach every task of a connected graph', () => {
  fc.assert(
    fc.property(acyclic(20), (tasks) => {
      const { nodes, routes } = layoutGraph(tasks);
      const places = new Map(nodes.map((node) => [node.id, node]));
      for (const { id, x, y } of nodes) {
        const to = (direction: Direction) => places.get(stepFrom(nodes, routes, id, direction) ?? Number.NaN);
        expect(to('left')?.x ?? Number.NEGATIVE_INFINITY).toBeLessThan(x);
        expect(to('right')?.x ?? Number.POSITIVE_INFINITY).toBeGreaterThan(x);
        expect(to('up')?.y ?? Number.NEGATIVE_INFINITY).toBeLessThan(y);
        expect(to('down')?.y ?? Number.POSITIVE_INFINITY).toBeGreaterThan(y);
        const after = routes.filter(({ from }) => from === id).map((route) => route.to);
        if (after.length > 0) expect(after).toContain(to('right')?.id);
        const reached = new Set([id]);
        for (const one of reached)
          for (const direction of DIRECTIONS) {
            const next = stepFrom(nodes, routes, one, direction);
            if (next !== null) reached.add(next);
          }
        const { past, future } = findRelatives(routes, id);
        for (const other of [...past, ...future]) expect(reached).toContain(other);
      }
    }),
  );
});
