// One word and one number for people: a try is a session of a task, over all runs, unless nothing of it was charged.
import { findFailure } from '../sessions/agent-failure.ts';
import type { InfrastructureFault, Session } from '../sessions/session.ts';

/** Interrupted by a limit, a fault or a person: it costs the task nothing, and the next session has its number. */
export const isTry = ({ outcome }: Pick<Session, 'outcome'>): boolean => outcome !== 'interrupted';

/** Its agent was never at work, so it left nothing that the next session should know of. */
export const neverBegan = ({ end, usage }: Pick<Session, 'end' | 'usage'>): boolean =>
  end?.kind === 'infrastructure' &&
  (end.fault === 'cannot_start' || (isApiFault(end.fault) && usage.turns === 0));

/** Only a client that reports its turns reports these. */
const isApiFault = (fault: InfrastructureFault): boolean =>
  findFailure(fault) !== null && !['mcp_lost', 'agent_failed', 'agent_killed'].includes(fault);

export type NumberedTry<S> = S & { try: number };

/** The sessions of one task, in their order, each with the number of its try. */
export function numberTries<S extends Pick<Session, 'outcome'>>(sessions: readonly S[]): NumberedTry<S>[] {
  let before = 0;
  return sessions.map((session) => {
    const numbered = { ...session, try: before + 1 };
    if (isTry(session)) before += 1;
    return numbered;
  });
}

/** "try 2", as it is said of a session. */
export const tryText = (session: Pick<Session, 'outcome'> & { try: number }): string =>
  isTry(session) ? `try ${session.try}` : 'not counted as a try';

type Failures = { attempts: number; stuck_count: number };

/** Which try comes after so many, and which would be the last: those that were partial or asked do not bring the end nearer. */
export function nextTry(
  task: Failures,
  tries: number,
  max_attempts: number,
): { number: number; most: number } {
  const failures = Math.min(max_attempts - 1, Math.max(task.attempts, task.stuck_count));
  return { number: tries + 1, most: tries + max_attempts - failures };
}
