// The words of other tools for a state and a priority. Each reader may add its own.
import { PRIORITIES, type Priority, type Status } from '../../../domain/tasks/task.ts';

export const STATUS_WORDS: Readonly<Record<string, Status>> = {
  pending: 'pending',
  open: 'pending',
  todo: 'pending',
  'to do': 'pending',
  backlog: 'pending',
  ready: 'pending',
  new: 'pending',
  'not started': 'pending',
  not_started: 'pending',
  'in progress': 'pending',
  'in-progress': 'pending',
  in_progress: 'pending',
  active: 'pending',
  started: 'pending',
  review: 'pending',
  'in review': 'pending',
  failing: 'pending',
  failed: 'pending',
  blocked: 'pending',
  reopened: 'pending',
  draft: 'draft',
  triage: 'draft',
  done: 'done',
  complete: 'done',
  completed: 'done',
  closed: 'done',
  resolved: 'done',
  passed: 'done',
  passing: 'done',
  verified: 'done',
  deferred: 'skipped',
  cancelled: 'skipped',
  canceled: 'skipped',
  skipped: 'skipped',
  duplicate: 'skipped',
  "won't do": 'skipped',
  wontfix: 'skipped',
};

const PRIORITY_WORDS: Readonly<Record<string, Priority>> = {
  p0: 'critical',
  urgent: 'critical',
  blocker: 'critical',
  highest: 'critical',
  must: 'critical',
  p1: 'high',
  major: 'high',
  should: 'high',
  p2: 'medium',
  normal: 'medium',
  'no priority': 'medium',
  none: 'medium',
  could: 'low',
  p3: 'low',
  p4: 'low',
  minor: 'low',
  lowest: 'low',
  trivial: 'low',
};

export function findPriority(value: string): Priority | undefined {
  const word = value.trim().toLowerCase();
  const own = PRIORITIES.find((priority) => priority === word);
  return own ?? (Object.hasOwn(PRIORITY_WORDS, word) ? PRIORITY_WORDS[word] : undefined);
}

/**
 * Numbers rank the entries of one file, 1 first, and say nothing about other boards. So the first quarter of the ranks is high,
 * the last one low, and a file with a single rank is medium.
 */
export function rankPriority(ranks: readonly number[]): (rank: number) => Priority {
  const sorted = [...new Set(ranks)].sort((a, b) => a - b);
  const places = new Map(sorted.map((rank, index) => [rank, index / Math.max(1, sorted.length - 1)]));
  return (rank) => {
    if (sorted.length < 2) return 'medium';
    const place = places.get(rank) ?? 1;
    return place <= 0.25 ? 'high' : place < 0.75 ? 'medium' : 'low';
  };
}
