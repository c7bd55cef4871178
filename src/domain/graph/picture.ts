// The common part of all forms of a graph: the shown tasks, their layout, and the number left out.
import { isSatisfied, type StateWord, stateWord } from '../tasks/status.ts';
import type { Task } from '../tasks/task.ts';
import { type Layout, layoutGraph } from './layout.ts';
import { sortGraph } from './sorted.ts';

/** The fields of a task that a graph shows. */
export type GraphTask = Pick<
  Task,
  | 'id'
  | 'title'
  | 'status'
  | 'feature'
  | 'discipline'
  | 'estimated_turns'
  | 'open_blockers'
  | 'not_before'
  | 'depends_on'
>;

/** `elsewhere`: open dependencies of these tasks that the filter left out. */
export type Graph = { tasks: readonly GraphTask[]; elsewhere: readonly number[] };

export type ShownTask = Omit<GraphTask, 'open_blockers' | 'not_before'> & {
  state: StateWord;
  critical: boolean;
};

export type GraphPicture = {
  /** Sorted by id. */
  tasks: ReadonlyMap<number, ShownTask>;
  layout: Layout;
  /** The task that the caller asked for. */
  around: number | null;
  critical: CriticalPath;
  left_out: { done: number; skipped: number; elsewhere: readonly number[] };
};

type Choice = {
  all: boolean;
  around: number | null;
  now: number;
  /** Tasks in progress whose process is gone. */
  leftBehind?: ReadonlySet<number>;
  /** A cache for callers that draw the same tasks repeatedly. */
  layout?: (tasks: readonly GraphTask[]) => Layout;
};

/** Without `all`, finished tasks are left out, except the task that the caller asked for. */
export function buildPicture(
  { tasks: found, elsewhere }: Graph,
  { all, around, now, leftBehind = new Set(), layout = layoutGraph }: Choice,
): GraphPicture {
  const isShown = ({ id, status }: GraphTask): boolean => all || id === around || !isSatisfied(status);
  const shown = found.filter(isShown);
  const hidden = found.filter((task) => !isShown(task));
  const critical = criticalPath(found);
  const onPath = new Set(critical.tasks);
  const done = hidden.filter(({ status }) => status === 'done').length;
  return {
    tasks: new Map(
      shown.map((task) => {
        const state = stateWord(task, now, leftBehind.has(task.id));
        return [task.id, shownTask(task, state, onPath.has(task.id))];
      }),
    ),
    layout: layout(shown),
    around,
    critical,
    left_out: { done, skipped: hidden.length - done, elsewhere },
  };
}

/** Copies field by field, because a rest pattern takes ten times as long for thousands of tasks. */
const shownTask = (task: GraphTask, state: StateWord, critical: boolean): ShownTask => ({
  id: task.id,
  title: task.title,
  status: task.status,
  feature: task.feature,
  discipline: task.discipline,
  estimated_turns: task.estimated_turns,
  depends_on: task.depends_on,
  state,
  critical,
});

/** Returns a test for whether an edge is a step of the critical path. */
export function criticalStepTest({ tasks }: CriticalPath): (from: number, to: number) => boolean {
  const next = new Map(tasks.map((id, index) => [id, tasks[index + 1]]));
  return (from, to) => next.get(from) === to;
}

type CriticalPath = { tasks: readonly number[]; turns: number };

type Work = Pick<Task, 'id' | 'depends_on' | 'status' | 'estimated_turns'>;

/** The longest chain of open tasks in turns. A task without an estimate counts one; among equals the lower ids win. */
export function criticalPath(tasks: readonly Work[]): CriticalPath {
  const { nodes, before, order } = sortGraph(tasks.filter(({ status }) => !isSatisfied(status)));
  const turns = new Array<number>(nodes.length).fill(0);
  const previous = new Array<number>(nodes.length).fill(-1);
  const longest = (places: readonly number[]): number =>
    places.reduce(
      (best, place) => (best === -1 || (turns[place] ?? 0) > (turns[best] ?? 0) ? place : best),
      -1,
    );
  for (const place of order) {
    const best = longest(before[place] ?? []);
    previous[place] = best;
    turns[place] = (turns[best] ?? 0) + (nodes[place]?.estimated_turns ?? 1);
  }
  const last = longest(nodes.map((_, place) => place));
  const path: number[] = [];
  for (let place = last; place !== -1; place = previous[place] ?? -1) path.push(nodes[place]?.id ?? 0);
  return { tasks: path.reverse(), turns: turns[last] ?? 0 };
}
