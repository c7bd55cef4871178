import type { Task } from '../../domain/tasks/task.ts';
import { costOfTasks, searchTaskIds, type TaskCost, type TaskSearch } from '../../store/tasks/task-page.ts';
import { findTasks } from '../../store/tasks/tasks.ts';
import type { Queue } from '../queue.ts';
import { publicTask, requireFeature } from './list.ts';

export type { TaskCost, TaskSearch };

export type TaskPage = {
  tasks: (Task & TaskCost)[];
  /** Of all that match. */
  total: number;
};

const MOST = 500;
const NO_COST: TaskCost = { tries: 0, cost_usd: 0, duration_ms: 0 };

/** Some of the tasks that match, by their numbers. */
export function taskPage(
  queue: Queue,
  { limit, offset, ...search }: TaskSearch & { limit: number; offset: number },
): Promise<TaskPage> {
  const at = queue.now();
  return queue.store.read(async (db) => {
    await requireFeature(db, search.feature);
    const found = await searchTaskIds(db, search, at);
    const shown = found.slice(offset, offset + Math.min(limit, MOST));
    const costs = await costOfTasks(db, shown, at);
    const tasks = (await findTasks(db, shown)).sort((one, other) => one.id - other.id);
    return {
      tasks: tasks.map((task) => ({ ...publicTask(task), ...(costs.get(task.id) ?? NO_COST) })),
      total: found.length,
    };
  });
}
