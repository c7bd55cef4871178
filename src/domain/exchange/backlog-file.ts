import { type Feature, featureRank } from '../tasks/feature.ts';
import type { Task } from '../tasks/task.ts';
import type { Backlog, Source } from './backlog.ts';

/** The whole queue, in the form that export formats write. */
export type BacklogSnapshot = {
  title: string | null;
  description: string | null;
  /** Sorted by name. */
  features: readonly Feature[];
  /** Sorted by id. */
  tasks: readonly Task[];
  /** The task's id in the file; it is the same in every export. */
  taskId(task_id: number): string;
};

/** Sorts features in the order in which Ralph works on them. */
export const rankedFeatures = (features: readonly Feature[]): Feature[] =>
  [...features].sort(
    (a, b) => featureRank(a.priority) - featureRank(b.priority) || (a.name < b.name ? -1 : 1),
  );

/** A file format that Ralph can write and read. */
export type BacklogFormat = {
  source: Source;
  /** The task's id in the file, unless another task has it already. */
  preferredId(task: Task): string;
  format(snapshot: BacklogSnapshot): string;
  read(text: string, file: string): Backlog;
};

/** The board name of files that Ralph wrote. */
export const OWN_BOARD = 'ralph';
