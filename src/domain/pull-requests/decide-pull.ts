// Decides what the state of a pull request means for its tasks. Pure: Ralph asks GitHub before, and applies the decision after.
import { isConflictCharged } from '../sessions/landing.ts';
import { isSatisfied } from '../tasks/status.ts';
import type { Status } from '../tasks/task.ts';
import type { PullPart, PullRequest } from './pull-request.ts';

export type Check = {
  id: number | null;
  name: string;
  state: 'green' | 'red' | 'running';
  /** When it ended; null if GitHub does not say. */
  ended: number | null;
  /** What GitHub shows of it: title, summary, link. */
  summary: string;
  /** Whether GitHub Actions ran it, and so has a log. */
  hasLog: boolean;
};

/** What a person or an app said: a review, or a comment below the pull request. */
export type Word = {
  id: number;
  /** Later ones of the same kind have a higher one. */
  order: number;
  kind: 'review' | 'comment';
  verdict: 'changes' | 'approved' | 'none';
  author: string;
  /** Whether they may write to the repository. What strangers say moves nothing. */
  isMember: boolean;
  text: string;
};

/** A pull request as GitHub has it. */
export type PullView = {
  number: number;
  url: string;
  isOpen: boolean;
  /** The commit that merged it; null if it is not merged. */
  merged: string | null;
  hasConflict: boolean;
  head: string;
  checks: readonly Check[];
  words: readonly Word[];
};

export type PullDecision =
  | { kind: 'waits' }
  | { kind: 'merged'; commit: string }
  | { kind: 'closed' }
  /** Somebody opened it again after Ralph had asked about its closing. */
  | { kind: 'reopened' }
  | {
      kind: 'back';
      changes: readonly Word[];
      red: readonly Check[];
      hasConflict: boolean;
      /** `fresh`: a person asked for it, so the task gets all of its attempts again. */
      charge: 'none' | 'attempt' | 'fresh';
    };

/** So long other checks may still run before a red one alone puts the task back. */
const SETTLE_MS = 15 * 60_000;

export function decidePull(
  view: PullView,
  known: Pick<PullRequest, 'state' | 'seen_review' | 'seen_comment' | 'returned' | 'conflicts'> & {
    parts: readonly Pick<PullPart, 'head' | 'status'>[];
  },
  now: number,
): PullDecision {
  if (view.merged !== null) return { kind: 'merged', commit: view.merged };
  const isKnown = known.state === 'closed';
  if (!view.isOpen) return { kind: isKnown ? 'waits' : 'closed' };
  if (isKnown) return { kind: 'reopened' };
  const changes = requestedChanges(view.words, known);
  // A person who pushed to the branch is at work there: its checks and conflicts are theirs. And one task mends it at a time: the
  // others are not charged for what it is about to push.
  const isOwn =
    known.parts.some(({ head }) => head === view.head) &&
    known.parts.every(({ status }) => status === 'blocked' || isSatisfied(status)) &&
    known.returned !== view.head;
  const red = isOwn ? settledRed(view.checks, now) : [];
  const hasConflict = isOwn && view.hasConflict;
  if (changes.length === 0 && red.length === 0 && !hasConflict) return { kind: 'waits' };
  const isFree = red.length === 0 && !isConflictCharged(known.conflicts);
  const charge = changes.length > 0 ? 'fresh' : isFree ? 'none' : 'attempt';
  return { kind: 'back', changes, red, hasConflict, charge };
}

/** What puts a task back; a person's request also one that failed, and a queued one hears it. */
const MENDING: Record<'asked' | 'found', readonly Status[]> = {
  asked: ['blocked', 'pending', 'failed'],
  found: ['blocked'],
};

/**
 * The task that is to mend it: the last task that changed a file with a remark, else the task that pushed last. Null if
 * none can be put back now. `files`: by task, what its sessions changed.
 */
export function chooseMender(
  parts: readonly Pick<PullPart, 'task_id' | 'status'>[],
  { changes }: Pick<Extract<PullDecision, { kind: 'back' }>, 'changes'>,
  remarked: readonly string[],
  files: ReadonlyMap<number, readonly string[]>,
): number | null {
  const statuses = MENDING[changes.length > 0 ? 'asked' : 'found'];
  const able = parts.filter(({ status }) => statuses.includes(status)).map(({ task_id }) => task_id);
  const changed = able.filter((id) => files.get(id)?.some((file) => remarked.includes(file)));
  return changed.at(-1) ?? able.at(-1) ?? null;
}

/** On GitHub a person cannot request changes of their own pull request, and Ralph opens it with a person's token: they write this. */
const ORDER = /^\/ralph\b/i;

/** New words that ask for something. A later approval by the same person takes a request back. */
function requestedChanges(
  words: readonly Word[],
  { seen_review, seen_comment }: Pick<PullRequest, 'seen_review' | 'seen_comment'>,
): Word[] {
  const fresh = words.filter(
    ({ order, kind, isMember }) => isMember && order > (kind === 'review' ? seen_review : seen_comment),
  );
  const verdicts = new Map(
    fresh.filter(({ verdict }) => verdict !== 'none').map(({ author, id }) => [author, id]),
  );
  const isRequest = ({ id, author, verdict, text }: Word): boolean =>
    (verdict === 'changes' && verdicts.get(author) === id) || ORDER.test(text.trimStart());
  return fresh.some(isRequest)
    ? fresh.filter((word) => isRequest(word) || (word.kind === 'review' && word.verdict === 'none'))
    : [];
}

/** All red ones once nothing runs any more, so that one session can repair them together. */
function settledRed(checks: readonly Check[], now: number): Check[] {
  const red = checks.filter(({ state }) => state === 'red');
  const isRunning = checks.some(({ state }) => state === 'running');
  const isOld = red.some(({ ended }) => ended !== null && now - ended > SETTLE_MS);
  return isRunning && !isOld ? [] : red;
}

/** The order up to which everything was passed on. */
export const seenWords = (
  words: readonly Word[],
  known: Pick<PullRequest, 'seen_review' | 'seen_comment'>,
): Pick<PullRequest, 'seen_review' | 'seen_comment'> => {
  const last = (kind: Word['kind'], least: number): number =>
    Math.max(least, ...words.filter((word) => word.kind === kind).map(({ order }) => order));
  return {
    seen_review: last('review', known.seen_review),
    seen_comment: last('comment', known.seen_comment),
  };
};
