export const STATUSES = [
  'draft',
  'pending',
  'in_progress',
  'needs_input',
  'blocked',
  'failed',
  'done',
  'skipped',
] as const;
export type Status = (typeof STATUSES)[number];

export const PRIORITIES = ['critical', 'high', 'medium', 'low'] as const;
export type Priority = (typeof PRIORITIES)[number];

export const PROVENANCES = ['agent', 'human', 'system'] as const;
export type Provenance = (typeof PROVENANCES)[number];

/** `investigate`: no change of files is expected of it, and none is refused. */
export const TASK_KINDS = ['change', 'investigate'] as const;
export type TaskKind = (typeof TASK_KINDS)[number];

/** What people and tools may say of a task; the rest of it is state that the queue keeps. */
export type TaskFields = {
  feature: string | null;
  discipline: string | null;
  parent: number | null;
  title: string;
  description: string | null;
  kind: TaskKind;
  priority: Priority;
  provenance: Provenance;
  acceptance_criteria: readonly string[];
  context_files: readonly string[];
  output_artifacts: readonly string[];
  hints: string | null;
  pseudocode: string | null;
  estimated_turns: number | null;
  model: string | null;
  tags: readonly string[];
};

export type Task = TaskFields & {
  id: number;
  status: Status;
  depends_on: readonly number[];
  /** What somebody outside the queue must do first; null while only tasks hold this one back. */
  blocked_by: string | null;
  /** Sessions whose `done` was refuted by a gate or a review. */
  attempts: number;
  stuck_count: number;
  /** Dependencies that are neither done nor skipped. */
  open_blockers: number;
  /** Grows with every claim; a session that holds an older one may change nothing any more. */
  token: number;
  not_before: number | null;
  created: number;
  updated: number;
  completed: number | null;
  enriched_at: number | null;
};

export const TASK_DEFAULTS: Omit<TaskFields, 'title'> = {
  feature: null,
  discipline: null,
  parent: null,
  description: null,
  kind: 'change',
  priority: 'medium',
  provenance: 'human',
  acceptance_criteria: [],
  context_files: [],
  output_artifacts: [],
  hints: null,
  pseudocode: null,
  estimated_turns: null,
  model: null,
  tags: [],
};

export const COMMENT_AUTHORS = ['human', 'agent', 'system'] as const;

export type TaskComment = {
  author: (typeof COMMENT_AUTHORS)[number];
  body: string;
  created: number;
};

export type Question = {
  id: number;
  task_id: number;
  question: string;
  blocking: boolean;
  options: readonly string[];
  preferred: string | null;
  answer: string | null;
  asked: number;
  answered: number | null;
};
