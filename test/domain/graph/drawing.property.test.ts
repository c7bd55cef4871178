import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { packGraph, packShape, unpackGraph } from '../../../src/domain/graph/drawing.ts';
import { svgPath } from '../../../src/domain/graph/layout.ts';
import { buildPicture, criticalStepTest, type GraphTask } from '../../../src/domain/graph/picture.ts';
import { type Box, edgePoints, isEdgeIn, isNodeIn } from '../../../src/domain/graph/window.ts';
import type { TaskStage } from '../../../src/domain/sessions/session.ts';
import { isSatisfied } from '../../../src/domain/tasks/status.ts';
import { STATUSES } from '../../../src/domain/tasks/task.ts';
import { acyclic } from '../../support/graphs.ts';
import { tries } from '../../support/tries.ts';

const name = fc.constantFrom(null, 'auth', 'queue', 'web');

/** Some of what they wait for is not among them, and may be open. */
const graphs = fc
  .record({
    linked: acyclic(30),
    extras: fc.array(
      fc.record({ status: fc.constantFrom(...STATUSES), feature: name, discipline: name, away: fc.nat(3) }),
      { minLength: 30, maxLength: 30 },
    ),
    all: fc.boolean(),
  })
  .map(({ linked, extras, all }) => {
    const tasks = linked.map(({ id, depends_on }, place): GraphTask => {
      const { away = 0, ...extra } = extras[place] ?? {};
      return {
        id,
        title: `Task ${id}`,
        status: 'pending',
        feature: null,
        discipline: null,
        ...extra,
        estimated_turns: null,
        open_blockers: 0,
        not_before: null,
        depends_on: [...new Set(depends_on), ...(away > 1 ? [1_000 + away] : [])],
      };
    });
    const elsewhere = tasks.some(({ depends_on }) => depends_on.includes(1_002)) ? [1_002] : [];
    return { found: { tasks, elsewhere }, choice: { all, around: null, now: 0 } };
  });

const stageOf = (id: number): TaskStage => ({ slot: id, phase: 'landing', after: [id + 1] });

describe('a graph that was sent', () => {
  it('a packed graph is the same graph when it is unpacked', () => {
    fc.assert(
      fc.property(graphs, ({ found, choice }) => {
        const picture = buildPicture(found, choice);
        const stages = new Map(found.tasks.map(({ id }) => [id, stageOf(id)]));
        const sent = JSON.stringify(packGraph(picture, packShape(picture.layout), stages));
        const { nodes, edges, byId } = unpackGraph(JSON.parse(sent));
        expect(nodes.map(({ id }) => id).sort()).toEqual([...picture.tasks.keys()].sort());
        const isOpen = (id: number): boolean => {
          const task = picture.tasks.get(id);
          return task === undefined ? found.elsewhere.includes(id) : !isSatisfied(task.status);
        };
        for (const { id, layer: _, order: __, ...corner } of picture.layout.nodes) {
          const { title, state, feature, discipline, critical, status, depends_on } =
            picture.tasks.get(id) ?? expect.fail();
          expect(byId.get(id)).toMatchObject({ id, title, state, feature, discipline, critical, ...corner });
          expect(byId.get(id)?.stage).toEqual(state === 'in_progress' ? stageOf(id) : null);
          const waits = isSatisfied(status) ? [] : depends_on.filter(isOpen);
          expect([...(byId.get(id)?.waits ?? [])].sort()).toEqual(waits.sort());
          expect(byId.get(id)?.waiting).toBe(nodes.filter((node) => node.waits.includes(id)).length);
        }
        const isStep = criticalStepTest(picture.critical);
        expect(edges.map((edge) => [edge.from, edge.to, edge.critical, svgPath(edgePoints(edge))])).toEqual(
          picture.layout.routes.map(({ from, to, points }) => [from, to, isStep(from, to), svgPath(points)]),
        );
      }),
      { numRuns: tries(100) },
    );
  });

  it('a window shows every node and edge that lies in it', () => {
    const windows = fc.record({
      x: fc.integer({ min: -500, max: 4_000 }),
      y: fc.integer({ min: -500, max: 1_500 }),
      width: fc.integer({ min: 1, max: 1_500 }),
      height: fc.integer({ min: 1, max: 900 }),
    });
    fc.assert(
      fc.property(graphs, windows, ({ found, choice }, window) => {
        const picture = buildPicture(found, choice);
        const { nodes, edges } = unpackGraph(packGraph(picture, packShape(picture.layout), new Map()));
        for (const node of nodes) {
          const corners = [0, 212].flatMap((x) => [0, 48].map((y) => ({ x: node.x + x, y: node.y + y })));
          if (corners.some((corner) => isWithin(window, corner))) expect(isNodeIn(window, node)).toBe(true);
        }
        for (const edge of edges)
          if (edgePoints(edge).some((point) => isWithin(window, point)))
            expect(isEdgeIn(window, edge)).toBe(true);
      }),
      { numRuns: tries(100) },
    );
  });
});

const isWithin = ({ x, y, width, height }: Box, point: { x: number; y: number }): boolean =>
  point.x >= x && point.x <= x + width && point.y >= y && point.y <= y + height;
