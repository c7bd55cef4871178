import type { Discipline } from '../domain/discipline.ts';
import type { Feature } from '../domain/feature.ts';
import { didYouMean } from '../domain/nearest.ts';
import { Refusal } from '../domain/refusal.ts';
import type { Task } from '../domain/task.ts';
import { findDiscipline, listDisciplines } from '../store/disciplines.ts';
import { listFeatures } from '../store/features.ts';
import { countLearnings } from '../store/learning-lists.ts';
import { listTasks } from '../store/tasks.ts';
import { publicTask } from './list.ts';
import type { Queue } from './queue.ts';
import { requireFeature } from './require-feature.ts';

export type FeatureDetails = { feature: Feature; tasks: Task[]; learnings: number };

const TASKS_SHOWN = 200;

export const allFeatures = (queue: Queue): Promise<{ feature: Feature; learnings: number }[]> =>
  queue.store.read(async (db) => {
    const counts = await countLearnings(db);
    return (await listFeatures(db)).map((feature) => ({ feature, learnings: counts.get(feature.name) ?? 0 }));
  });

export const featureDetails = (queue: Queue, name: string): Promise<FeatureDetails> =>
  queue.store.read(async (db) => {
    return {
      feature: await requireFeature(db, name),
      tasks: (await listTasks(db, { feature: name, limit: TASKS_SHOWN })).map(publicTask),
      learnings: (await countLearnings(db)).get(name) ?? 0,
    };
  });

export const disciplineDetails = (queue: Queue, name: string): Promise<Discipline> =>
  queue.store.read(async (db) => {
    const discipline = await findDiscipline(db, name);
    if (discipline !== null) return discipline;
    const names = (await listDisciplines(db)).map((one) => one.name);
    throw new Refusal(`There is no discipline "${name}"${didYouMean(name, names) || '.'}`);
  });
