// What working on several tasks at once brought, and what it cost.
import type { ParallelTotals } from '../../domain/text/run-words.ts';
import type { SupervisorEvent } from '../../supervisor/input.ts';
import type { Sessions } from './at-work.ts';

/** `wall_ms` leaves out the time since `busy_since`. */
export type ParallelWork = ParallelTotals & {
  /** The most sessions that were at work at once. */
  peak: number;
  /** Since when at least one session has been at work; null if none is. */
  busy_since: number | null;
  /** Merges without a conflict on which a gate failed. */
  red_merges: number;
};

export const NO_PARALLEL_WORK: ParallelWork = {
  peak: 0,
  sessions_ms: 0,
  wall_ms: 0,
  busy_since: null,
  gate_runs: 0,
  landed: 0,
  conflicts: 0,
  red_merges: 0,
};

export const gateRun = (work: ParallelWork): ParallelWork => ({ ...work, gate_runs: work.gate_runs + 1 });

export const notLanded = (
  work: ParallelWork,
  { problem }: Extract<SupervisorEvent, { kind: 'not_landed' }>,
): ParallelWork =>
  problem.kind === 'conflict'
    ? { ...work, conflicts: work.conflicts + 1 }
    : { ...work, red_merges: work.red_merges + 1 };

/** `sessions`: with the new one. */
export const sessionBegun = (work: ParallelWork, sessions: Sessions, at: number): ParallelWork => ({
  ...work,
  peak: Math.max(work.peak, sessions.size),
  busy_since: work.busy_since ?? at,
});

/**
 * Counts a session from its start, as `wall_ms` does: the two have to be comparable. `sessions`: with the session that has just ended.
 */
export function sessionOver(
  work: ParallelWork,
  sessions: Sessions,
  { claim, decision }: Extract<SupervisorEvent, { kind: 'finished' }>,
  at: number,
): ParallelWork {
  const session = sessions.get(claim.session.id);
  const isLast = session !== undefined && sessions.size === 1;
  return {
    ...work,
    sessions_ms: work.sessions_ms + (session === undefined ? 0 : at - session.since),
    wall_ms: work.wall_ms + (isLast ? at - (work.busy_since ?? at) : 0),
    busy_since: isLast ? null : work.busy_since,
    landed: work.landed + (decision.status === 'done' ? 1 : 0),
  };
}
