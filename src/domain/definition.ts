// The content of the definition files. An absent field says nothing about the stored value; an empty one does.
import type { Reference } from './exchange/backlog.ts';
import type { Learning } from './learnings/learning.ts';
import type { DisciplineFields } from './tasks/discipline.ts';
import type { FeatureFields, FeatureStatus } from './tasks/feature.ts';
import type { Question, Status, TaskComment, TaskFields } from './tasks/task.ts';

/** `at`: the position as `file:line`, so that a refusal can point at it. */
type Positioned = { at: string };

export type ProjectDefinition = { title?: string; description?: string; created?: number };

export type DisciplineDefinition = Positioned & {
  name: string;
  fields: Partial<DisciplineFields>;
  created?: number;
};

export type FeatureDefinition = Positioned & {
  name: string;
  fields: Partial<FeatureFields & { status: FeatureStatus }>;
  created?: number;
};

export type TaskDefinition = Positioned & {
  id?: number;
  fields: Partial<TaskFields> & { title: string };
  depends_on?: readonly number[];
  /** The sources of an imported task. A file can add references, never remove them. */
  references?: readonly Reference[];
  /** Applied only when Ralph sees the task for the first time; from then on the database owns it. */
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
  archived: number | null;
  comments: readonly (Omit<TaskComment, 'created'> & { created?: number })[];
  questions: readonly (Omit<Question, 'id' | 'task_id' | 'asked'> & { asked?: number })[];
};

export type LearningDefinition = Positioned &
  Pick<Learning, 'feature' | 'scope' | 'category' | 'body' | 'summary' | 'reason' | 'discipline'> &
  /** Applied only when Ralph sees the learning for the first time. */
  Partial<Pick<Learning, 'created' | 'confirmations' | 'archived' | 'archived_by'>> & {
    agent_task_id?: number;
    /** Neither a gate nor a person has vouched for it yet. */
    unproven?: boolean;
  };

export type Definitions = {
  project: ProjectDefinition;
  disciplines: readonly DisciplineDefinition[];
  features: readonly FeatureDefinition[];
  tasks: readonly TaskDefinition[];
  learnings: readonly LearningDefinition[];
};
