import type { Status, Task } from './task.ts';

/** State is told by a symbol and a word; colour only repeats it. */
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

/** A pending task, as people ask for it: can it start now? */
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

/** What is in progress without a process that is at it is left behind: nobody asks for it, but everybody is told. */
export type StateWord = keyof typeof STATE_SYMBOLS;

export const stateWord = (
  { status, open_blockers, not_before }: Pick<Task, 'status' | 'open_blockers' | 'not_before'>,
  now: number,
  isLeftBehind: boolean,
): StateWord =>
  isLeftBehind && status === 'in_progress'
    ? 'left_behind'
    : statusWord(status, open_blockers, not_before, now);
