import { Refusal } from '../refusal.ts';
import { stateName } from './status-word.ts';
import type { Status } from './task.ts';

/*
 * draft ──approve──▶ pending ──claim──▶ in_progress ──settle──▶ done
 *                     ▲ ▲ ▲ ▲                │
 *                     │ │ │ └────────────────┤ partial, stuck, gate failed, limit, crash
 *                     │ │ └─ answer ◀─ needs_input ──answer: approve──▶ done
 *                     │ └─── unblock ◀─ blocked
 *                     ├───── retry ◀─ failed, skipped
 *                     ├───── reopen ◀─ done, if a review requests changes
 *                     └───── return ◀─ blocked, if its pull request is not merged
 *
 * A pull request that somebody merges makes its task done, whatever it waits for; one that they close makes it ask.
 * A person may skip any task that is neither running nor done.
 */
export const TRANSITIONS = {
  approve: { from: ['draft'], to: ['pending'] },
  claim: { from: ['pending'], to: ['in_progress'] },
  settle: { from: ['in_progress'], to: ['done', 'pending', 'needs_input', 'blocked', 'failed'] },
  answer: { from: ['needs_input'], to: ['pending', 'blocked', 'done'] },
  unblock: { from: ['blocked'], to: ['pending'] },
  retry: { from: ['failed', 'skipped'], to: ['pending'] },
  reopen: { from: ['done'], to: ['pending'] },
  return: { from: ['blocked', 'failed'], to: ['pending', 'failed', 'needs_input'] },
  merge: { from: ['blocked', 'pending', 'needs_input', 'failed'], to: ['done'] },
  skip: { from: ['draft', 'pending', 'needs_input', 'blocked', 'failed'], to: ['skipped'] },
} as const satisfies Record<string, { from: readonly Status[]; to: readonly Status[] }>;

export type Cause = keyof typeof TRANSITIONS;

export function isLegal(cause: Cause, from: Status, to: Status): boolean {
  const { from: froms, to: tos }: { from: readonly Status[]; to: readonly Status[] } = TRANSITIONS[cause];
  return froms.includes(from) && tos.includes(to);
}

/** Dependents of a task in one of these statuses need not wait for it. */
export const isSatisfied = (status: Status): boolean => status === 'done' || status === 'skipped';

const WHAT_TO_DO: Record<Status, (id: number) => string> = {
  draft: (id) => `approve it first: ralph approve ${id}`,
  pending: () => 'ralph run works on it',
  in_progress: () => 'wait until its session has ended',
  needs_input: (id) => `see what it asks of you: ralph why ${id}`,
  blocked: (id) => `see what it waits for: ralph why ${id}`,
  failed: (id) => `put it back into the queue: ralph retry ${id}`,
  done: (id) => `add a new task for what is left to do, or have it reviewed: ralph review ${id}`,
  skipped: (id) => `put it back into the queue: ralph retry ${id}`,
};

export function requireTransition(cause: Cause, id: number, from: Status, to: Status): void {
  if (isLegal(cause, from, to)) return;
  throw new Refusal(`Cannot ${cause} task ${id}: it is ${stateName(from)}; ${WHAT_TO_DO[from](id)}.`);
}
