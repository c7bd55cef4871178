// What a run carries from one session to the next, as one value.
import { findFailure } from '../domain/sessions/agent-failure.ts';
import type { AgentEnd } from './agents/session-end.ts';
import type { Pause } from './pauses.ts';

export type RunTotals = {
  readonly sessions: number;
  readonly cost_usd: number;
  /** Sessions in a row that Ralph could not check. */
  readonly failures: number;
  /** Why Ralph could not check the last session; null if it could. */
  readonly failure: string | null;
  /** How the last agent ended; null before the first, and after a pause. */
  readonly last: AgentEnd | null;
  /** Which agent that was, or has to wait. */
  readonly agent: string | null;
  /** The task whose agent said that nothing can go on; null if none did. */
  readonly gave_up: number | null;
  /** What has to pass before the next session; null if nothing has to. */
  readonly pause: Pause | null;
};

export const NO_SESSIONS: RunTotals = {
  sessions: 0,
  cost_usd: 0,
  failures: 0,
  failure: null,
  last: null,
  agent: null,
  gave_up: null,
  pause: null,
};

export type SessionResult = {
  task_id: number;
  end: AgentEnd;
  agent: string;
  cost_usd: number;
  failure: string | null;
  pause: Pause | null;
};

export const afterSession = (
  { sessions, cost_usd, failures, last, agent, gave_up, pause: before }: RunTotals,
  { task_id, end, agent: ended, cost_usd: cost, failure, pause }: SessionResult,
): RunTotals => ({
  sessions: sessions + 1,
  cost_usd: cost_usd + cost,
  failures: failure === null ? 0 : failures + 1,
  failure,
  // What stops the run or lets it wait stands, even if a session beside it ends well afterwards.
  last: last !== null && isStopping(last) ? last : end,
  agent:
    agent !== null && ((last !== null && isStopping(last)) || (before !== null && pause === null))
      ? agent
      : ended,
  gave_up: end.gave_up ? task_id : gave_up,
  pause: pause ?? before,
});

const isStopping = ({ fault }: AgentEnd): boolean =>
  fault === 'not_trusted' || findFailure(fault)?.policy === 'stop';

export const afterPause = (totals: RunTotals): RunTotals => ({
  ...totals,
  last: null,
  pause: null,
});

export const budgetLeft = ({ budget_usd }: { budget_usd: number }, { cost_usd }: RunTotals): number =>
  budget_usd - cost_usd;
