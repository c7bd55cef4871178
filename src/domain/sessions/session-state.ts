// The state of a session in a word, for every list of sessions.

import type { StateWord } from '../tasks/status.ts';
import type { Run, Session } from './session.ts';

export const LEFT_BEHIND = 'Its process is gone; the next ralph run finishes it.';

/** Names the work tree, because a run in another one does not finish the session. */
export const leftBehindText = (root: string | null): string =>
  root === null ? LEFT_BEHIND : `Its process is gone; the next ralph run in ${root} finishes it.`;

export type SessionState = {
  /** The state whose symbol and colour it gets. */
  state: Extract<StateWord, 'in_progress' | 'left_behind' | 'done' | 'failed' | 'waiting'>;
  word: string;
};

/** `isAlive`: whether the process of its run exists; ignored for a session that has ended. */
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

/** Outcomes that refute nothing: the next session continues the work. */
const CONTINUED: ReadonlySet<string | null> = new Set([
  'partial',
  'needs_approval',
  'conflict',
  'proposed',
  'interrupted',
  null,
]);

/** Why a session has nothing to read, or null if it has. `size`: of its stream; null if there is no file. */
export function missingStream(
  { session, run }: { session: Pick<Session, 'ended'>; run: Pick<Run, 'kind'> },
  size: number | null,
  /** Where the file would be; `host`: the other machine that ran it. */
  { path, host }: { path: string; host: string | null },
): string | null {
  if (size !== null) return size === 0 ? 'It printed nothing.' : null;
  if (run.kind === 'interactive')
    return 'A person worked on it in an MCP client, so Ralph has no record of the conversation.';
  if (session.ended === null) return 'It has no output yet.';
  if (host !== null)
    return `Its stream is on ${host}; the database does not have it, or no longer (fleet.keep_days).`;
  return `Its stream is missing (${path}): the file was removed, or the agent was never started.`;
}
