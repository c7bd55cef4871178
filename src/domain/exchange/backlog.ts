// What another tool's file says, in Ralph's words: one shape, whatever tool wrote it.
import type { FeatureFields, FeatureStatus } from '../tasks/feature.ts';
import type { Status, TaskFields } from '../tasks/task.ts';

export const SOURCES = ['implementation', 'prd', 'task-master', 'beads', 'markdown'] as const;
export type Source = (typeof SOURCES)[number];

/** Where a task comes from. `board` tells two files of the same kind apart; `id` is the source's own. */
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
  /** What has no place in Ralph, by the name it has there. */
  leftovers: Readonly<Record<string, string>>;
};

/** `status`: where it stands when it is seen for the first time, from then on Ralph says; null where its tasks tell. */
export type SourceFeature = { name: string; fields: Partial<FeatureFields>; status: FeatureStatus | null };

export type Backlog = {
  source: Source;
  /** The source's own name for what the file is about; null where it has none. */
  board: string | null;
  /** Ids are unique wherever the file lies: all files of this kind are one board. */
  isOneBoard: boolean;
  /** A parent waits for its parts, and they for what it waits for; false where the file says all links itself. */
  partsFirst: boolean;
  features: readonly SourceFeature[];
  tasks: readonly SourceTask[];
  /** How often what became what, as `status closed → done`. */
  mapped: Readonly<Record<string, number>>;
  problems: readonly string[];
};

/** What was last read of a task: only what the source has changed since then is its to change here. */
export type Snapshot = {
  fields: Partial<TaskFields>;
  depends_on: readonly number[];
  status: Status;
  leftovers: Readonly<Record<string, string>>;
};

export type ImportReport = {
  source: Source;
  board: string;
  added: number;
  updated: number;
  unchanged: number;
  features: { added: number; updated: number; unchanged: number };
  mapped: Readonly<Record<string, number>>;
  /** Fields kept as comments, and on how many tasks. */
  kept: Readonly<Record<string, number>>;
  problems: readonly string[];
  /** Tasks of an earlier import that the file holds no more; they stay. */
  gone: readonly number[];
};
