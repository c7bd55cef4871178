// A try, as people see it: a session of a task, counted over all runs, unless it was interrupted.
import { findFailure } from '../sessions/agent-failure.ts';
import type { InfrastructureFault, Session } from '../sessions/session.ts';

/** A session that a limit, a fault or a person interrupted is no try; the next session gets its number. */
export const isTry = ({ outcome }: Pick<Session, 'outcome'>): boolean => outcome !== 'interrupted';

/** True if the agent never started to work, so that the next session has nothing to learn from it. */
export const neverBegan = ({ end, usage }: Pick<Session, 'end' | 'usage'>): boolean =>
  end?.kind === 'infrastructure' &&
  (end.fault === 'cannot_start' || (isApiFault(end.fault) && usage.turns === 0));

/** Only clients that also report their turns report these faults. */
const isApiFault = (fault: InfrastructureFault): boolean =>
  findFailure(fault) !== null && !['mcp_lost', 'agent_failed', 'agent_killed'].includes(fault);

export type NumberedTry<S> = S & { try: number };

/** Adds the number of its try to each session of a task. */
export function numberTries<S extends Pick<Session, 'outcome'>>(sessions: readonly S[]): NumberedTry<S>[] {
  let before = 0;
  return sessions.map((session) => {
    const numbered = { ...session, try: before + 1 };
    if (isTry(session)) before += 1;
    return numbered;
  });
}

export const tryText = (session: Pick<Session, 'outcome'> & { try: number }): string =>
  isTry(session) ? `try ${session.try}` : 'not counted as a try';

/** How often a task was tried. */
export const triesText = (tries: number): string => (tries === 1 ? '1 try' : `${tries} tries`);

type Failures = { attempts: number; stuck_count: number };

/** The number of the next try and of the last possible one. Tries that were partial or asked do not count as failures. */
export function nextTry(
  task: Failures,
  tries: number,
  max_attempts: number,
): { number: number; most: number } {
  const failures = Math.min(max_attempts - 1, Math.max(task.attempts, task.stuck_count));
  return { number: tries + 1, most: tries + max_attempts - failures };
}
