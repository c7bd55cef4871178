import { z } from 'zod';
import { type Layout, layoutGraph } from '../../domain/graph/layout.ts';
import { pathOf } from '../../domain/graph/path.ts';
import { type GraphPicture, pictureOf, type ShownTask, stepOf } from '../../domain/graph/picture.ts';
import type { Linked } from '../../domain/graph/sorted.ts';
import { isSatisfied } from '../../domain/status.ts';
import { graph as readGraph } from '../../queue/graph.ts';
import { leftBehind } from '../../queue/left-behind.ts';
import { idText } from '../fields.ts';
import { defineView } from '../view.ts';

/** x and y are the upper left corner of its box. */
export type GraphNode = Pick<ShownTask, 'id' | 'title' | 'state' | 'feature' | 'discipline' | 'critical'> & {
  x: number;
  y: number;
  /** The open tasks that it waits for itself, also those that are not shown. */
  waits: readonly number[];
};

export type GraphEdge = { from: number; to: number; critical: boolean; path: string };

/** What `ralph graph` shows, placed and routed. Wave by wave. */
export type GraphView = Pick<GraphPicture, 'critical' | 'left_out'> & {
  nodes: readonly GraphNode[];
  edges: readonly GraphEdge[];
  width: number;
  height: number;
};

export const graph = defineView({
  path: '/api/graph',
  input: z.strictObject({
    feature: z.string().optional(),
    around: idText.optional(),
    /** Also what is done or skipped. */
    all: z.literal('1').optional(),
  }),
  read: async ({ queue, isAlive }, { feature, around, all }): Promise<GraphView> => {
    const found = await readGraph(queue, {
      ...(feature !== undefined && { feature }),
      ...(around !== undefined && { around }),
    });
    const choice = {
      all: all !== undefined,
      around: around ?? null,
      now: queue.now(),
      leftBehind: await leftBehind(queue, isAlive),
      layout: lastLayout,
    };
    return drawn(pictureOf(found, choice), new Set(found.elsewhere));
  },
});

/** Most changes are of a state, and leave every task in its place: to place a thousand anew costs more than all the rest. */
const lastLayout = ((): ((tasks: readonly Linked[]) => Layout) => {
  let last: { key: string; layout: Layout } | null = null;
  return (tasks) => {
    const key = JSON.stringify(tasks.map(({ id, depends_on }) => [id, ...depends_on]));
    if (last?.key !== key) last = { key, layout: layoutGraph(tasks) };
    return last.layout;
  };
})();

function drawn(
  { tasks, layout, critical, left_out }: GraphPicture,
  elsewhere: ReadonlySet<number>,
): GraphView {
  const isStep = stepOf(critical);
  const isOpen = (id: number): boolean => {
    const task = tasks.get(id);
    return task === undefined ? elsewhere.has(id) : !isSatisfied(task.status);
  };
  const { width, height, routes } = layout;
  const placed = [...layout.nodes].sort((one, other) => one.layer - other.layer || one.order - other.order);
  return {
    nodes: placed.flatMap(({ id, x, y }) => {
      const task = tasks.get(id);
      if (task === undefined) return [];
      const { title, state, feature, discipline, critical: isCritical, depends_on, status } = task;
      const waits = isSatisfied(status) ? [] : depends_on.filter(isOpen);
      return [{ id, title, state, feature, discipline, critical: isCritical, x, y, waits }];
    }),
    edges: routes.map(({ from, to, points }) => ({
      from,
      to,
      critical: isStep(from, to),
      path: pathOf(points),
    })),
    width,
    height,
    critical,
    left_out,
  };
}
