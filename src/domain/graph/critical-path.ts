import { isSatisfied } from '../tasks/status.ts';
import type { Task } from '../tasks/task.ts';
import { sortGraph } from './sorted.ts';

export type CriticalPath = { tasks: readonly number[]; turns: number };

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
