import type { Discipline } from '../../domain/tasks/discipline.ts';
import type { Task } from '../../domain/tasks/task.ts';
import { listDisciplines } from '../../store/tasks/disciplines.ts';
import { listTaskColumns, type TaskColumns } from '../../store/tasks/task-columns.ts';
import { filterForWord, findTasks, listTasks, type TaskFilter } from '../../store/tasks/tasks.ts';
import type { Queue } from '../queue.ts';
import { requireFeature, requireTask } from '../require.ts';

export { filterForWord, type TaskColumns, type TaskFilter };

/** Every field of every task. */
export const list = (queue: Queue, filter: TaskFilter): Promise<Task[]> =>
  queue.store.read(async (db) => {
    if (filter.feature !== undefined) await requireFeature(db, filter.feature);
    return (await listTasks(db, filter)).map(publicTask);
  });

export const listColumns = (queue: Queue, filter: TaskFilter): Promise<TaskColumns> =>
  queue.store.read(async (db) => {
    if (filter.feature !== undefined) await requireFeature(db, filter.feature);
    return listTaskColumns(db, filter);
  });

export const findTitles = (queue: Queue, ids: readonly number[]): Promise<Map<number, string>> =>
  queue.store.read(async (db) => new Map((await findTasks(db, ids)).map(({ id, title }) => [id, title])));

export const getTask = (queue: Queue, id: number): Promise<Task> =>
  queue.store.read(async (db) => publicTask(await requireTask(db, id)));

/** Drops the fields that only the queue uses. */
export function publicTask({
  feature_rank: _rank,
  defined: _defined,
  ...task
}: Task & { feature_rank?: number; defined?: unknown }): Task {
  return task;
}

export const listAllDisciplines = (queue: Queue): Promise<Discipline[]> => queue.store.read(listDisciplines);

/** The drafts of a feature, or all drafts. */
export async function draftIds(queue: Queue, feature?: string): Promise<number[]> {
  const drafts = await list(queue, { status: 'draft', ...(feature !== undefined && { feature }) });
  return drafts.map(({ id }) => id);
}
