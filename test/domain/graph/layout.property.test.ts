import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Layout,
  layoutGraph,
  MEASURES,
  type Measures,
  type PlacedNode,
  type Point,
} from '../../../src/domain/graph/layout.ts';
import type { Linked } from '../../../src/domain/graph/sorted.ts';
import { countCrossings } from '../../../src/domain/graph/uncross.ts';
import { acyclic, anything } from '../../support/graphs.ts';
import { tries } from '../../support/tries.ts';

const RUNS = { numRuns: tries(100) };
/** None, a few, and as many as are needed: edges that go around everything must be as good. */
const measures = fc.constantFrom(0, 5, 40_000).map((maxBends): Measures => ({ ...MEASURES, maxBends }));

describe('a layout', () => {
  it('a layout draws every node once and every edge from left to right, in waves', () => {
    fc.assert(
      fc.property(acyclic(40), measures, (graph, sizes) => {
        const { nodes, routes } = layoutGraph(graph, sizes);
        const placed = new Map(nodes.map((node) => [node.id, node]));
        expect([...placed.keys()].sort()).toEqual(graph.map(({ id }) => id).sort());
        expect(nodes).toHaveLength(graph.length);
        for (const { id, depends_on } of graph) {
          const waits = new Set(depends_on);
          const waves = [...waits].map((other) => placed.get(other)?.layer ?? 0);
          expect(placed.get(id)?.layer).toBe(waves.length === 0 ? 0 : Math.max(...waves) + 1);
          expect(new Set(routes.filter(({ to }) => to === id).map(({ from }) => from))).toEqual(waits);
        }
        for (const { from, to, points } of routes) {
          expect(points[0]).toEqual(side(placed.get(from), sizes.width));
          expect(points.at(-1)).toEqual(side(placed.get(to), 0));
          points.slice(1).forEach(({ x }, index) => {
            expect(x).toBeGreaterThanOrEqual(points[index]?.x ?? 0);
          });
        }
      }),
      RUNS,
    );
  });

  it('in a layout no boxes overlap, no edge crosses a box, and nothing lies outside', () => {
    fc.assert(
      fc.property(acyclic(40), measures, (graph, sizes) => {
        expect(problems(layoutGraph(graph, sizes), sizes)).toEqual([]);
      }),
      RUNS,
    );
  });

  it('a layout numbers the nodes of a wave from 0 on', () => {
    fc.assert(
      fc.property(acyclic(40), (graph) => {
        const { nodes } = layoutGraph(graph);
        for (const { layer } of nodes) {
          const orders = nodes.filter((node) => node.layer === layer).map(({ order }) => order);
          expect(new Set(orders)).toEqual(new Set(orders.keys()));
        }
      }),
      { numRuns: tries(30) },
    );
  });

  it('a layout is the same to the byte for any order of the input', () => {
    fc.assert(
      fc.property(acyclic(30), (graph) => {
        const turned = [...graph]
          .reverse()
          .map(({ id, depends_on }) => ({ id, depends_on: [...depends_on].reverse() }));
        expect(JSON.stringify(layoutGraph(turned))).toBe(JSON.stringify(layoutGraph(graph)));
      }),
      RUNS,
    );
  });

  it('the layout of any graph, even with cycles, terminates and is sound', () => {
    fc.assert(
      fc.property(anything(30), measures, (graph, sizes) => {
        const layout = layoutGraph(graph, sizes);
        expect(layout.nodes).toHaveLength(graph.length);
        expect(problems(layout, sizes)).toEqual([]);
      }),
      RUNS,
    );
  });
});

it('a sorted graph lacks only the edge that closes a cycle', () => {
  const { routes } = layoutGraph([
    { id: 4, depends_on: [3] },
    { id: 3, depends_on: [2, 3] },
    { id: 2, depends_on: [1] },
    { id: 1, depends_on: [3] },
  ]);
  expect(routes.map(({ from, to }) => `${from} ${to}`)).toEqual(['1 2', '2 3', '3 4']);
});

describe('crossings', () => {
  it('crossings are counted as by a comparison of every pair of edges', () => {
    const edges = fc.array(fc.array(fc.nat(8), { maxLength: 5 }), { maxLength: 8 });
    fc.assert(
      fc.property(edges, (right) => {
        const pairs = right.flatMap((ends, start) => ends.map((end) => [start, end] as const));
        const all = pairs.flatMap(([a, b], index) =>
          pairs.slice(index + 1).filter(([c, d]) => (a - c) * (b - d) < 0),
        ).length;
        const column = right.map((_, index) => index);
        const at = Array.from({ length: 9 }, (_, index) => index);
        expect(countCrossings(column, right, at)).toBe(all);
      }),
    );
  });

  it('a graph that can be drawn without crossings is drawn without them', () => {
    // Told by ids alone, every one of these pairs would cross every other.
    const count = 8;
    const pairs: Linked[] = Array.from({ length: count }, (_, index) => [
      { id: index + 1, depends_on: [] },
      { id: 2 * count - index, depends_on: [index + 1] },
    ]).flat();
    const all = [...pairs, { id: 99, depends_on: pairs.map(({ id }) => id).filter((id) => id > count) }];
    const { nodes } = layoutGraph(all);
    const orderOf = new Map(nodes.map(({ id, order }) => [id, order]));
    for (let id = 1; id <= count; id++) expect(orderOf.get(id)).toBe(orderOf.get(2 * count - id + 1));
  });
});

it('a wave of very many nodes is split into several columns', () => {
  const fan: Linked[] = [
    { id: 1, depends_on: [] },
    ...Array.from({ length: 500 }, (_, index) => ({ id: index + 2, depends_on: [1] })),
  ];
  const { width, height, nodes } = layoutGraph(fan);
  expect(new Set(nodes.map(({ layer }) => layer))).toEqual(new Set([0, 1]));
  expect(height / width).toBeLessThan(2);
  const alone = layoutGraph(fan.slice(1).map(({ id }) => ({ id, depends_on: [] })));
  expect(alone.height / alone.width).toBeLessThan(1.5);
  expect(alone.width / alone.height).toBeLessThan(3);
});

const side = (node: PlacedNode | undefined, width: number): Point => ({
  x: (node?.x ?? Number.NaN) + width,
  y: (node?.y ?? Number.NaN) + MEASURES.height / 2,
});

/** A curve leaves and arrives level, so that it never leaves the rectangle between its ends. */
function problems({ nodes, routes, width, height }: Layout, sizes: Measures): string[] {
  const found: string[] = [];
  const isInside = ({ x, y }: Point): boolean => x >= 0 && y >= 0 && x <= width && y <= height;
  const cuts = (one: PlacedNode, left: number, right: number, top: number, bottom: number): boolean =>
    one.x < right && one.x + sizes.width > left && one.y <= bottom && one.y + sizes.height >= top;
  nodes.forEach((node, index) => {
    const corner = { x: node.x + sizes.width, y: node.y + sizes.height };
    if (!isInside(node) || !isInside(corner)) found.push(`#${node.id} is outside`);
    for (const other of nodes.slice(index + 1))
      if (cuts(other, node.x, corner.x, node.y, corner.y)) found.push(`#${node.id} lies over #${other.id}`);
  });
  for (const { from, to, points } of routes) {
    for (const [index, point] of points.entries()) {
      const last = points[index - 1];
      if (!isInside(point)) found.push(`${from} to ${to} is outside`);
      if (last === undefined) continue;
      const [top, bottom] = [Math.min(last.y, point.y), Math.max(last.y, point.y)];
      for (const node of nodes)
        if (cuts(node, last.x, point.x, top, bottom)) found.push(`${from} to ${to} goes through #${node.id}`);
    }
  }
  return found;
}
