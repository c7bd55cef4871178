import type { Task } from '../../domain/tasks/task.ts';
import type { Reader } from '../../store/database.ts';
import { dependentsOf } from '../../store/tasks/task-dependencies.ts';
import { findTasks } from '../../store/tasks/tasks.ts';
import type { Queue } from '../queue.ts';
import { requireTask } from '../require-task.ts';

export type LinkedTask = Pick<Task, 'id' | 'title' | 'status' | 'open_blockers' | 'not_before'>;

/** The first of them, and how many there are beyond those. */
export type LinkedTasks = { tasks: LinkedTask[]; more: number };

export type TaskLinks = { depends_on: LinkedTasks; dependents: LinkedTasks; parent: LinkedTask | null };

const MOST = 50;

/** What a task waits for, what waits for it, and what it is part of. */
export const taskLinks = (queue: Queue, id: number): Promise<TaskLinks> =>
  queue.store.read(async (db) => {
    const { depends_on, parent } = await requireTask(db, id);
    return {
      depends_on: await linked(db, depends_on),
      dependents: await linked(db, await dependentsOf(db, id)),
      parent: parent === null ? null : ((await linked(db, [parent])).tasks[0] ?? null),
    };
  });

async function linked(db: Reader, ids: readonly number[]): Promise<LinkedTasks> {
  const tasks = (await findTasks(db, ids.slice(0, MOST))).map(
    ({ id, title, status, open_blockers, not_before }) => ({ id, title, status, open_blockers, not_before }),
  );
  return { tasks, more: Math.max(0, ids.length - MOST) };
}
