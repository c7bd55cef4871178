// The content of the definition files. An absent field says nothing about the stored value; an empty one does.
import type { Reference } from './exchange/backlog.ts';
import type { Learning } from './learnings/learning.ts';
import type { DisciplineFields } from './tasks/discipline.ts';
import type { FeatureFields, FeatureStatus } from './tasks/feature.ts';
import type { Question, Status, TaskComment, TaskFields } from './tasks/task.ts';

/** `at`: the position as `file:line`, so that a refusal can point at it. */
type Positioned = { at: string };

type ProjectDefinition = { title?: string; description?: string; created?: number };

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

// Changes of files below `.ralph` that no person has made or accepted yet: a proposal of a session.

/** The content before and after as text; null where there is no file. */
export type DefinitionChange = { path: string; before: string | null; after: string | null };

export type DefinitionProposal = {
  /** Null if Ralph cannot tell who changed the files of the checkout: agents were at work, and they can write there. */
  session_id: string | null;
  task_id: number | null;
  at: number;
  changes: readonly DefinitionChange[];
};

/** How people name it. */
const CHECKOUT = 'checkout';
export const proposalName = ({ session_id }: Pick<DefinitionProposal, 'session_id'>): string =>
  session_id?.slice(0, 8) ?? CHECKOUT;

export const proposalFiles = ({ changes }: Pick<DefinitionProposal, 'changes'>): string =>
  changes.map(({ path }) => path).join(', ');

/** What the person reads about it, without the command. */
export const proposalText = (proposal: DefinitionProposal): string =>
  proposal.session_id === null
    ? `${proposalFiles(proposal)} changed while agents were at work`
    : `${proposal.task_id === null ? 'a session' : `#${proposal.task_id}`} proposes a change of ${proposalFiles(proposal)}`;

/** Ralph adds a line to it for every done, and prompts show the newest lines. */
export const PROGRESS_FILE = '.ralph/progress.txt';

/** Folders that Ralph itself writes, and its files of progress. */
const RALPHS = /^\.ralph\/(?:(?:state|memory)\/|progress(?:\.old)?\.txt$)/;

/** Whether the path, relative to the project, is a file of the person that sessions must not change. */
export const isPersonsDefinition = (path: string): boolean =>
  path.startsWith('.ralph/') && !path.split('/').includes('..') && !RALPHS.test(path);

/** Whether a change of the file in the checkout waits for the person, if agents were at work. */
export const isHeldFile = (path: string): boolean => isPersonsDefinition(path) || path === PROGRESS_FILE;
