// How a session stands, in a word; wherever sessions are listed.

import type { StateWord } from '../tasks/status-word.ts';
import type { Run, Session } from './session.ts';

/** Of a session that is open, in the same words everywhere. */
export const LEFT_BEHIND = 'Its process is gone; the next ralph run finishes it.';

/** The same, naming the work tree: a run in another one does not finish it. */
export const leftBehindText = (root: string | null): string =>
  root === null ? LEFT_BEHIND : `Its process is gone; the next ralph run in ${root} finishes it.`;

export type SessionState = {
  /** Whose symbol and colour it has. */
  state: Extract<StateWord, 'in_progress' | 'left_behind' | 'done' | 'failed' | 'waiting'>;
  word: string;
};

/** `isAlive`: whether the process of its run is there; of one that has ended it says nothing. */
export function sessionState(
  { ended, closing, outcome }: Pick<Session, 'ended' | 'closing' | 'outcome'>,
  isAlive: boolean,
): SessionState {
  if (ended === null && !isAlive) return { state: 'left_behind', word: 'left behind' };
  if (ended === null) return { state: 'in_progress', word: closing === null ? 'running' : 'being checked' };
  const word = (outcome ?? 'ended').replaceAll('_', ' ');
  if (outcome === 'done') return { state: 'done', word };
  return { state: CONTINUED.has(outcome) ? 'waiting' : 'failed', word };
}

/** Nothing was refuted: the next session goes on where it was. */
const CONTINUED: ReadonlySet<string | null> = new Set(['partial', 'needs_approval', 'interrupted', null]);

/** Why there is nothing to read of a session; null where there is. `size`: of its stream, null where it has none. */
export function missingStream(
  { session, run }: { session: Pick<Session, 'ended'>; run: Pick<Run, 'kind'> },
  size: number | null,
  path: string,
): string | null {
  if (size !== null) return size === 0 ? 'It printed nothing.' : null;
  if (run.kind === 'interactive')
    return 'It was worked on in an MCP client of somebody: what was said there, Ralph has not heard.';
  if (session.ended === null) return 'Nothing has come from it yet.';
  return `Its stream is not there (${path}): nobody has kept it, or its agent was never started.`;
}
