import { plural } from '../text/text.ts';

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

/** `investigate`: the task need not change any file, but may. */
export const TASK_KINDS = ['change', 'investigate'] as const;
export type TaskKind = (typeof TASK_KINDS)[number];

/** How hard the model thinks, in the words of Claude Code. */
export const EFFORTS = ['low', 'medium', 'high', 'xhigh', 'max'] as const;
export type Effort = (typeof EFFORTS)[number];

/** The fields that people and tools set. The queue owns all other fields. */
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
  agent: string | null;
  model: string | null;
  effort: Effort | null;
  tags: readonly string[];
  /** Labels that a run must have to claim it, such as `gpu`. */
  needs: readonly string[];
};

export type Task = TaskFields & {
  id: number;
  status: Status;
  depends_on: readonly number[];
  /** Something outside the queue that must happen first. Null if the task waits only for tasks. */
  blocked_by: string | null;
  /** Sessions whose `done` was refuted by a gate or a review. */
  attempts: number;
  stuck_count: number;
  /** Dependencies that are neither done nor skipped, and one more if the feature is planned or deprecated. */
  open_blockers: number;
  /** Grows with every claim. A session with an older token may no longer change the task. */
  token: number;
  not_before: number | null;
  created: number;
  updated: number;
  completed: number | null;
  enriched_at: number | null;
  /** When a person removed it, if its history stays. Only a done or skipped task is archived; lists leave it out. */
  archived: number | null;
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
  agent: null,
  model: null,
  effort: null,
  tags: [],
  needs: [],
};

export const COMMENT_AUTHORS = ['human', 'agent', 'system'] as const;
/** As people read them. */
export const AUTHOR_NAMES = { human: 'a person', agent: 'an agent', system: 'Ralph' } as const;

export type TaskComment = {
  author: (typeof COMMENT_AUTHORS)[number];
  /** The task whose agent wrote it, as a definition file says; the queue itself names the session. */
  agent_task_id?: number | null;
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
  /** When a person decided not to answer it. */
  dismissed: number | null;
};

export const isOpenQuestion = ({ answer, dismissed }: Pick<Question, 'answer' | 'dismissed'>): boolean =>
  answer === null && dismissed === null;

const MAX_NAMED = 10;

/** "Task 7", or "Tasks 7, 8 and 12 more": bounded, for a sentence. */
export function nameTasks(tasks: readonly { id: number }[]): string {
  const ids = tasks.map(({ id }) => id).sort((a, b) => a - b);
  const named = ids.slice(0, MAX_NAMED).join(', ');
  const more = ids.length > MAX_NAMED ? ` and ${ids.length - MAX_NAMED} more` : '';
  return `${plural(ids.length, 'Task').replace(/^\d+ /, '')} ${named}${more}`;
}
