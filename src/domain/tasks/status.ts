import { Refusal } from '../refusal.ts';
import type { Status, Task } from './task.ts';

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
 * A merged pull request makes its task done, whatever the task waits for; a closed one makes it ask.
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

/** A symbol and a word show the state; colour only repeats it. */
export const STATUS_SYMBOLS = {
  draft: '~',
  pending: '○',
  ready: '●',
  waiting: '○',
  in_progress: '▶',
  needs_input: '?',
  blocked: '■',
  failed: '✗',
  done: '✓',
  skipped: '-',
} as const satisfies Record<Status | 'ready' | 'waiting', string>;

export type StatusWord = keyof typeof STATUS_SYMBOLS;

/** Splits `pending` into ready and waiting: can the task start now? */
function statusWord(
  status: Status,
  open_blockers: number,
  not_before: number | null,
  now: number,
): StatusWord {
  if (status !== 'pending') return status;
  return open_blockers === 0 && (not_before ?? 0) <= now ? 'ready' : 'waiting';
}

export const STATE_SYMBOLS = { ...STATUS_SYMBOLS, left_behind: '▷' } as const;

/** `left_behind`: in progress, but its process is gone. Screens show this state; no command filters by it. */
export type StateWord = keyof typeof STATE_SYMBOLS;

/** The one word that people read for each state. Files, `--json` and MCP have the stored value. */
const STATE_NAMES: Readonly<Record<StateWord, string>> = {
  draft: 'draft',
  // Ready or waiting, as long as no query has looked which.
  pending: 'queued',
  ready: 'ready',
  waiting: 'waiting',
  in_progress: 'running',
  left_behind: 'left behind',
  needs_input: 'asking',
  blocked: 'blocked',
  failed: 'failed',
  done: 'done',
  skipped: 'skipped',
};

export const stateName = (word: StateWord): string => STATE_NAMES[word];

/** What a person may ask for, by the name they read or by the stored value; null for any other word. */
export const parseStatusWord = (text: string): StatusWord | null =>
  STATUS_WORDS.find((word) => word === text || STATE_NAMES[word] === text) ?? null;

const STATUS_WORDS = Object.keys(STATUS_SYMBOLS) as StatusWord[];

/** How many tasks are in each state; what is pending is ready or waits. */
export const countStates = (
  { pending, ...counts }: Readonly<Record<Status, number>>,
  ready: number,
): [StatusWord, number][] => {
  const all: Partial<Record<StatusWord, number>> = { ...counts, ready, waiting: pending - ready };
  return STATUS_WORDS.flatMap((word) => ((all[word] ?? 0) > 0 ? [[word, all[word] ?? 0]] : []));
};

export const stateWord = (
  { status, open_blockers, not_before }: Pick<Task, 'status' | 'open_blockers' | 'not_before'>,
  now: number,
  isLeftBehind: boolean,
): StateWord =>
  isLeftBehind && status === 'in_progress'
    ? 'left_behind'
    : statusWord(status, open_blockers, not_before, now);
