// What a definition file may say. Absent means "not said", which is not the same as "empty".
import type { Reference } from './backlog.ts';
import type { DisciplineFields } from './discipline.ts';
import type { FeatureFields, FeatureStatus } from './feature.ts';
import type { Archivist } from './learning.ts';
import type { LEARNING_KINDS, LEARNING_SCOPES } from './signal.ts';
import type { Question, Status, TaskComment, TaskFields } from './task.ts';

/** Where an entry stands, as `file:line`, so that a refusal can point at it. */
type Placed = { at: string };

export type ProjectDefinition = { title?: string; description?: string; created?: number };

export type DisciplineDefinition = Placed & {
  name: string;
  fields: Partial<DisciplineFields>;
  created?: number;
};

export type FeatureDefinition = Placed & {
  name: string;
  fields: Partial<FeatureFields & { status: FeatureStatus }>;
  created?: number;
};

export type TaskDefinition = Placed & {
  id?: number;
  fields: Partial<TaskFields> & { title: string };
  depends_on?: readonly number[];
  /** Where it came from: only ever added to. */
  references?: readonly Reference[];
  /** Taken over only when the task is seen for the first time: from then on the database owns it. */
  state: Partial<TaskState>;
};

export type TaskState = {
  status: Status;
  blocked_by: string | null;
  attempts: number;
  stuck_count: number;
  not_before: number | null;
  created: number;
  updated: number;
  completed: number | null;
  enriched_at: number | null;
  comments: readonly (Omit<TaskComment, 'created'> & { created?: number })[];
  questions: readonly (Omit<Question, 'id' | 'task_id' | 'asked'> & { asked?: number })[];
};

export type LearningDefinition = Placed & {
  feature: string | null;
  scope: (typeof LEARNING_SCOPES)[number];
  category: (typeof LEARNING_KINDS)[number];
  body: string;
  summary: string | null;
  reason: string | null;
  discipline: string | null;
  created?: number;
  /** Taken over only when the learning is seen for the first time. */
  confirmations?: number;
  archived?: number | null;
  archived_by?: Archivist | null;
};

export type Definitions = {
  project: ProjectDefinition;
  disciplines: readonly DisciplineDefinition[];
  features: readonly FeatureDefinition[];
  tasks: readonly TaskDefinition[];
  learnings: readonly LearningDefinition[];
};
