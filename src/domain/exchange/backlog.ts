// A backlog that was read from a file of another tool, in one form for all tools.
import { type Feature, type FeatureFields, type FeatureStatus, featureRank } from '../tasks/feature.ts';
import type { Status, Task, TaskFields } from '../tasks/task.ts';

export const SOURCES = [
  'implementation',
  'prd',
  'task-master',
  'beads',
  'backlog-md',
  'ccpm',
  'claude-tasks',
  'github',
  'jira',
  'linear',
  'markdown',
] as const;
export type Source = (typeof SOURCES)[number];

/** The origin of a task. `board` distinguishes two files of the same kind; `id` is the source's own. */
export type Reference = { source: Source; board: string; id: string };

export type SourceFields = Partial<Omit<TaskFields, 'parent'>> & { title: string };

export type SourceTask = {
  id: string;
  fields: SourceFields;
  parent: string | null;
  depends_on: readonly string[];
  status: Status;
  blocked_by: string | null;
  /** The source's own word for the status. */
  original_status: string;
  times: { created?: number; updated?: number; completed?: number };
  /** When it may be started, if the source puts it off. */
  not_before: number | null;
  /** Who wrote it there, by name; null if the source does not say. Never an address. */
  author: string | null;
  /** Fields that Ralph has no place for, by their name in the source. */
  leftovers: Readonly<Record<string, string>>;
};

/** `status` applies only to the first import; then Ralph owns it. Null if it follows from the tasks. */
export type SourceFeature = { name: string; fields: Partial<FeatureFields>; status: FeatureStatus | null };

export type Backlog = {
  source: Source;
  /** The name that the file gives itself, if any. */
  board: string | null;
  /** True if ids are globally unique, so that all files of this kind are one board. */
  isOneBoard: boolean;
  /** True if a parent waits for its parts, and the parts wait for the parent's dependencies. False if the file lists all links. */
  partsFirst: boolean;
  features: readonly SourceFeature[];
  tasks: readonly SourceTask[];
  /** Counts of mapped values, by text such as `status closed → done`. */
  mapped: Readonly<Record<string, number>>;
  problems: readonly string[];
  /** Ids of an earlier import that the source still has, and that were not read again. */
  unread?: readonly string[];
};

/** The state of a task at its last import. Only fields that the source has changed since then are updated. */
export type Snapshot = {
  fields: Partial<TaskFields>;
  depends_on: readonly number[];
  status: Status;
  leftovers: Readonly<Record<string, string>>;
  not_before?: number;
  author?: string;
};

export type ImportReport = {
  source: Source;
  board: string;
  added: number;
  updated: number;
  unchanged: number;
  features: { added: number; updated: number; unchanged: number };
  mapped: Readonly<Record<string, number>>;
  /** Fields that became comments, with the number of tasks. */
  kept: Readonly<Record<string, number>>;
  problems: readonly string[];
  /** Tasks of an earlier import that the file no longer has; they stay in the queue. */
  gone: readonly number[];
};

/** The wanted name, or the first free one of `name (2)`, `name (3)`, ... */
export function freeName(wanted: string, taken: { has(name: string): boolean }): string {
  let name = wanted;
  for (let count = 2; taken.has(name); count++) name = `${wanted} (${count})`;
  return name;
}

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
