import type { Discipline } from '../../domain/tasks/discipline.ts';
import type { Feature } from '../../domain/tasks/feature.ts';
import type { Task } from '../../domain/tasks/task.ts';
import type { Reader } from '../../store/database.ts';
import { listDisciplines } from '../../store/tasks/disciplines.ts';
import { findFeature, listFeatures } from '../../store/tasks/features.ts';
import { listTaskColumns, type TaskColumns } from '../../store/tasks/task-page.ts';
import { filterForWord, findTasks, listTasks, type TaskFilter } from '../../store/tasks/tasks.ts';
import type { Queue } from '../queue.ts';
import { requireFeature, requireTask } from '../require.ts';

export { filterForWord, type TaskColumns, type TaskFilter };

/** Every field of every task. */
export const list = (queue: Queue, filter: TaskFilter): Promise<Task[]> =>
  queue.store.read(async (db) => (await listTasks(db, await withFeatureName(db, filter))).map(publicTask));

export const listColumns = (queue: Queue, filter: TaskFilter): Promise<TaskColumns> =>
  queue.store.read(async (db) => listTaskColumns(db, await withFeatureName(db, filter)));

/** Lists show a feature by its acronym, so people may ask for it by that. */
async function withFeatureName(db: Reader, filter: TaskFilter): Promise<TaskFilter> {
  const { feature: asked } = filter;
  if (asked === undefined || (await findFeature(db, asked)) !== null) return filter;
  const named = (await listFeatures(db)).filter(
    ({ acronym }) => acronym?.toLowerCase() === asked.toLowerCase(),
  );
  const [only] = named;
  return {
    ...filter,
    feature: only !== undefined && named.length === 1 ? only.name : (await requireFeature(db, asked)).name,
  };
}

export type Names = { features: readonly Feature[]; disciplines: readonly Discipline[] };

/** What lists need to name features and disciplines in short. */
export const listNames = (queue: Queue): Promise<Names> =>
  queue.store.read(async (db) => ({
    features: await listFeatures(db),
    disciplines: await listDisciplines(db),
  }));

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
