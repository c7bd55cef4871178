// The pull request of a task. Its branch holds work that gates have proven; GitHub decides when it is merged.
import type { Work } from '../sessions/gate.ts';

export const PULL_STATES = ['open', 'merged', 'closed'] as const;
export type PullState = (typeof PULL_STATES)[number];

/** The branch that a session pushed instead of landing. */
export type Proposal = {
  branch: string;
  /** The branch that it is to be merged into. */
  base: string;
  head: string;
};

export type PullRequest = Proposal &
  Pick<Work, 'tree_hash' | 'diff_stat'> & {
    id: number;
    task_id: number;
    /** The session whose work is the head. */
    session_id: string;
    /** Null until GitHub has it. */
    number: number | null;
    url: string | null;
    state: PullState;
    /** The session whose receipt its body shows; null if it shows none yet. */
    described: string | null;
    /** The order of the last review and of the last comment that Ralph has passed on to a session. */
    seen_review: number;
    seen_comment: number;
    /** The head with which the task was put back last. */
    returned: string | null;
    /** How often in a row it was put back because it conflicts. */
    conflicts: number;
    /** When something about it changed last. */
    changed: number;
    next_look: number;
  };

/** What people and scripts read of it. */
export type PullSummary = Pick<PullRequest, 'number' | 'url' | 'branch' | 'state'>;

export const pullSummary = ({ number, url, branch, state }: PullRequest): PullSummary => ({
  number,
  url,
  branch,
  state,
});

/** Why its task waits, as `blocked_by`. */
export const waitsForPull = ({
  number,
  url,
  branch,
}: Pick<PullSummary, 'number' | 'url' | 'branch'>): string =>
  number === null
    ? `the pull request of branch ${branch}, which Ralph opens as soon as GitHub answers`
    : `pull request #${number}${url === null ? '' : ` (${url})`}`;

const MAX_SLUG = 40;

/** Such as `ralph/task-7-add-a-login`. */
export function pullBranch({ id, title }: { id: number; title: string }): string {
  const slug = title
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_SLUG)
    .replace(/^-+|-+$/g, '');
  return `${pullPrefix(id)}${slug === '' ? '' : `-${slug}`}`;
}

export const pullPrefix = (task_id: number): string => `ralph/task-${task_id}`;

/** Whether a branch may be that of the task: other tasks begin with the same digits. */
export const isPullBranch = (branch: string, task_id: number): boolean =>
  branch === pullPrefix(task_id) || branch.startsWith(`${pullPrefix(task_id)}-`);

const [SOONEST_MS, LATEST_MS] = [30_000, 10 * 60_000];

/** The longer nothing changes, the rarer Ralph looks. */
export const nextLook = (changed: number, now: number): number =>
  now + Math.min(LATEST_MS, Math.max(SOONEST_MS, (now - changed) / 4));
