import { type Feature, featureRank } from '../tasks/feature.ts';
import type { Task } from '../tasks/task.ts';
import type { Backlog, Source } from './backlog.ts';

/** The whole queue, as it is written for others to read. */
export type BacklogSnapshot = {
  title: string | null;
  description: string | null;
  /** By name. */
  features: readonly Feature[];
  /** By number. */
  tasks: readonly Task[];
  /** The id under which a task stands in the file, the same every time. */
  taskId(task_id: number): string;
};

/** In the order in which their tasks are taken up. */
export const rankedFeatures = (features: readonly Feature[]): Feature[] =>
  [...features].sort(
    (a, b) => featureRank(a.priority) - featureRank(b.priority) || (a.name < b.name ? -1 : 1),
  );

/** A file that Ralph writes and can read again. */
export type BacklogFormat = {
  source: Source;
  /** The id that a task gets if nothing else has it. */
  preferredId(task: Task): string;
  format(plan: BacklogSnapshot): string;
  read(text: string, file: string): Backlog;
};

/** The board of what Ralph itself has written. */
export const OWN_BOARD = 'ralph';
