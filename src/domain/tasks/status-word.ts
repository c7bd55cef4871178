import type { Status, Task } from './task.ts';

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
export function statusWord(
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
  // Ready or waiting, where nobody has looked which.
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
