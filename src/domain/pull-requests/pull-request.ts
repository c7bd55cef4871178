// A pull request: one of a task, or one of a feature, whose tasks add to it one after another. Its branch holds work that gates have
// proven; GitHub decides when it is merged.
import type { Work } from '../sessions/gate.ts';
import type { Status } from '../tasks/task.ts';

const PULL_STATES = ['open', 'merged', 'closed'] as const;
export type PullState = (typeof PULL_STATES)[number];

/** The branch that a session pushed instead of landing. */
export type Proposal = {
  branch: string;
  /** The branch that it is to be merged into. */
  base: string;
  head: string;
  /** The feature that the branch is for; null if it is that of one task. */
  feature: string | null;
  /** Whether the remote had no such branch: what others had pushed there before is gone. */
  isNew?: boolean;
};

/** What one task added. */
export type PullPart = Pick<Work, 'tree_hash' | 'diff_stat'> & {
  task_id: number;
  /** That of the task, now. */
  status: Status;
  /** The session whose work is the head. */
  session_id: string;
  head: string;
  /** The session whose receipt the body shows; null if it shows none of the task yet. */
  described: string | null;
  /** Whether the task is blocked because it waits for the merge. */
  waits: boolean;
};

export type PullRequest = Omit<Proposal, 'head' | 'isNew'> & {
  id: number;
  /** In the order of their last pushes. There is always one. */
  parts: readonly PullPart[];
  /** Null until GitHub has it. */
  number: number | null;
  url: string | null;
  state: PullState;
  /** The order of the last review and of the last comment that Ralph has passed on to a session. */
  seen_review: number;
  seen_comment: number;
  /** The head with which a task was put back last. */
  returned: string | null;
  /** How often in a row a task was put back because it conflicts. */
  conflicts: number;
  /** When something about it changed last. */
  changed: number;
  next_look: number;
};

/** The part that was pushed last. */
export function lastPart({ parts }: Pick<PullRequest, 'parts'>): PullPart {
  const part = parts.at(-1);
  if (part === undefined) throw new Error('A pull request without a task.');
  return part;
}

/** What people and scripts read of it. */
export type PullSummary = Pick<PullRequest, 'number' | 'url' | 'branch' | 'state' | 'feature'>;

export const pullSummary = ({ number, url, branch, state, feature }: PullRequest): PullSummary => ({
  number,
  url,
  branch,
  state,
  feature,
});

/** Whether other tasks of the feature start from the work of a task that waits for this: it is on the branch of the feature. */
export const isOnBranch = (pull: PullSummary | undefined, feature: string | null): boolean =>
  pull !== undefined && feature !== null && pull.feature === feature;

/** Why its task waits, as `blocked_by`. */
export const waitsForPull = ({
  number,
  url,
  branch,
}: Pick<PullSummary, 'number' | 'url' | 'branch'>): string =>
  number === null
    ? `the pull request of branch ${branch}, which Ralph opens as soon as GitHub answers`
    : `pull request #${number}${url === null || url === '' ? '' : ` (${url})`}`;

/** What a branch is for: one task, or all tasks of a feature. */
export type BranchOwner = { id: number; title: string; feature: string | null };

const MAX_SLUG = 40;

/** Such as `ralph/task-7-add-a-login` or `ralph/feature-search`. */
export function pullBranch(owner: BranchOwner): string {
  const slug = (owner.feature ?? owner.title)
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_SLUG)
    .replace(/^-+|-+$/g, '');
  return `${pullPrefix(owner)}${slug === '' ? '' : `-${slug}`}`;
}

const pullPrefix = ({ id, feature }: BranchOwner): string =>
  feature === null ? `ralph/task-${id}` : 'ralph/feature';

/** What all branches that may be the owner's begin with: a person may have given the task another title since. */
export const branchPrefix = (owner: BranchOwner): string =>
  owner.feature === null ? pullPrefix(owner) : pullBranch(owner);

/** Whether a branch may be the owner's: other tasks begin with the same digits, other features with the same words. */
export const isPullBranch = (branch: string, owner: BranchOwner): boolean => {
  const prefix = branchPrefix(owner);
  return branch === prefix || branch.startsWith(`${prefix}-`);
};

const [SOONEST_MS, LATEST_MS] = [30_000, 10 * 60_000];

/** The longer nothing changes, the rarer Ralph looks. */
export const nextLook = (changed: number, now: number): number =>
  now + Math.min(LATEST_MS, Math.max(SOONEST_MS, (now - changed) / 4));
