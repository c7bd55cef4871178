import { z } from 'zod';
import { type PackedGraph, type PackedShape, packGraph, packShape } from '../../domain/graph/drawing.ts';
import { type Layout, layoutGraph } from '../../domain/graph/layout.ts';
import { buildPicture } from '../../domain/graph/picture.ts';
import type { Linked } from '../../domain/graph/sorted.ts';
import { orphanedTasks } from '../../queue/sessions/runs.ts';
import { graph as readGraph } from '../../queue/tasks/graph.ts';
import { idText } from '../fields.ts';
import { readStages } from '../train.ts';
import { defineView } from '../view.ts';

/** What `ralph graph` shows, placed and routed. */
export const graph = defineView({
  path: '/api/graph',
  input: z.strictObject({
    feature: z.string().optional(),
    around: idText.optional(),
    /** Includes tasks that are done or skipped. */
    all: z.literal('1').optional(),
  }),
  read: async ({ queue, isAlive }, { feature, around, all }): Promise<PackedGraph> => {
    const found = await readGraph(queue, {
      ...(feature !== undefined && { feature }),
      ...(around !== undefined && { around }),
    });
    const picture = buildPicture(found, {
      all: all !== undefined,
      around: around ?? null,
      now: queue.now(),
      leftBehind: await orphanedTasks(queue, isAlive),
      layout: cachedLayout,
    });
    return packGraph(picture, packedShape(picture.layout), await readStages(queue, isAlive));
  },
});

/** One for each of the few filters that a person switches between. */
const MAX_LAYOUTS = 4;
let layouts: readonly { tasks: readonly Linked[]; layout: Layout }[] = [];
const shapes = new WeakMap<Layout, PackedShape>();

/** Most changes are of a state and move no task, and laying out a thousand tasks costs more than the rest of the view. */
function cachedLayout(tasks: readonly Linked[]): Layout {
  const cached = layouts.find((one) => haveSameLinks(one.tasks, tasks)) ?? {
    tasks: tasks.map(({ id, depends_on }) => ({ id, depends_on })),
    layout: layoutGraph(tasks),
  };
  layouts = [cached, ...layouts.filter((one) => one !== cached)].slice(0, MAX_LAYOUTS);
  return cached.layout;
}

function packedShape(layout: Layout): PackedShape {
  const shape = shapes.get(layout) ?? packShape(layout);
  shapes.set(layout, shape);
  return shape;
}

const haveSameLinks = (some: readonly Linked[], others: readonly Linked[]): boolean =>
  some.length === others.length &&
  some.every(({ id, depends_on }, index) => {
    const other = others[index];
    return (
      id === other?.id &&
      depends_on.length === other.depends_on.length &&
      depends_on.every((one, place) => one === other.depends_on[place])
    );
  });
