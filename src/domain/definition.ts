// What a definition file may say. Absent means "not said", which is not the same as "empty".
import type { Reference } from './exchange/backlog.ts';
import type { Learning } from './learnings/learning.ts';
import type { DisciplineFields } from './tasks/discipline.ts';
import type { FeatureFields, FeatureStatus } from './tasks/feature.ts';
import type { Question, Status, TaskComment, TaskFields } from './tasks/task.ts';

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

export type LearningDefinition = Placed &
  Pick<Learning, 'feature' | 'scope' | 'category' | 'body' | 'summary' | 'reason' | 'discipline'> &
  /** Taken over only when the learning is seen for the first time. */
  Partial<Pick<Learning, 'created' | 'confirmations' | 'archived' | 'archived_by'>>;

export type Definitions = {
  project: ProjectDefinition;
  disciplines: readonly DisciplineDefinition[];
  features: readonly FeatureDefinition[];
  tasks: readonly TaskDefinition[];
  learnings: readonly LearningDefinition[];
};
