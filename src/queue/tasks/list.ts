import { Refusal } from '../../domain/refusal.ts';
import type { Discipline } from '../../domain/tasks/discipline.ts';
import type { Task } from '../../domain/tasks/task.ts';
import { didYouMean } from '../../domain/text/did-you-mean.ts';
import type { Reader } from '../../store/database.ts';
import { listDisciplines } from '../../store/tasks/disciplines.ts';
import { findFeature, listFeatures } from '../../store/tasks/features.ts';
import { listTaskColumns, type TaskColumns } from '../../store/tasks/task-columns.ts';
import { calledSo, findTasks, listTasks, type TaskFilter } from '../../store/tasks/tasks.ts';
import type { Queue } from '../queue.ts';
import { requireTask } from '../require-task.ts';

export { calledSo, type TaskColumns, type TaskFilter };

/** Every field of every task. */
export const list = (queue: Queue, filter: TaskFilter): Promise<Task[]> =>
  queue.store.read(async (db) => {
    await requireFeature(db, filter.feature);
    return (await listTasks(db, filter)).map(publicTask);
  });

export const listColumns = (queue: Queue, filter: TaskFilter): Promise<TaskColumns> =>
  queue.store.read(async (db) => {
    await requireFeature(db, filter.feature);
    return listTaskColumns(db, filter);
  });

export const titlesOf = (queue: Queue, ids: readonly number[]): Promise<Map<number, string>> =>
  queue.store.read(async (db) => new Map((await findTasks(db, ids)).map(({ id, title }) => [id, title])));

export const oneTask = (queue: Queue, id: number): Promise<Task> =>
  queue.store.read(async (db) => publicTask(await requireTask(db, id)));

export async function requireFeature(db: Reader, name: string | undefined): Promise<void> {
  if (name === undefined || (await findFeature(db, name)) !== null) return;
  const names = (await listFeatures(db)).map((feature) => feature.name);
  throw new Refusal(`There is no feature "${name}"${didYouMean(name, names) || '.'}`);
}

/** Without what only the queue itself works with. */
export function publicTask({
  feature_rank: _rank,
  defined: _defined,
  ...task
}: Task & { feature_rank?: number; defined?: unknown }): Task {
  return task;
}

export const listAllDisciplines = (queue: Queue): Promise<Discipline[]> => queue.store.read(listDisciplines);
