import type { Backlog, Source } from './backlog.ts';
import type { Feature } from './feature.ts';
import type { Task } from './task.ts';

/** The whole queue, as it is written for others to read. */
export type Plan = {
  title: string | null;
  description: string | null;
  /** By name. */
  features: readonly Feature[];
  /** By number. */
  tasks: readonly Task[];
  /** The id under which a task stands in the file, the same every time. */
  idOf(task_id: number): string;
};

/** A file that Ralph writes and can read again. */
export type PlanForm = {
  source: Source;
  /** The id that a task gets if nothing else has it. */
  nameFor(task: Task): string;
  format(plan: Plan): string;
  read(text: string, file: string): Backlog;
};

/** The board of what Ralph itself has written. */
export const OWN_BOARD = 'ralph';
