// What a run carries from one session to the next, as one value.
import { findFailure } from '../domain/sessions/agent-failure.ts';
import { parkedNow } from '../domain/sessions/parked-agents.ts';
import type { AgentEnd } from './agents/session-end.ts';
import type { Pause } from './pauses.ts';

export type RunTotals = {
  readonly sessions: number;
  readonly cost_usd: number;
  /** Sessions in a row that Ralph could not check. */
  readonly failures: number;
  /** Why Ralph could not check the last session; null if it could. */
  readonly failure: string | null;
  /** Why no session of any agent may begin; null to go on. */
  readonly stopping: AgentEnd | null;
  /** What has to pass after the session that ended last; null if nothing. */
  readonly last_pause: Pause | null;
  /** The task whose agent said that nothing can go on; null if none did. */
  readonly gave_up: number | null;
  /** By agent: what has to pass before it may begin another session. */
  readonly pauses: ReadonlyMap<string, Pause>;
};

export const NO_SESSIONS: RunTotals = {
  sessions: 0,
  cost_usd: 0,
  failures: 0,
  failure: null,
  stopping: null,
  last_pause: null,
  gave_up: null,
  pauses: new Map(),
};

export type SessionResult = {
  task_id: number;
  end: AgentEnd;
  /** Whether that is the end of its reviewer. */
  isReview: boolean;
  cost_usd: number;
  failure: string | null;
  pause: Pause | null;
};

export function afterSession(totals: RunTotals, result: SessionResult): RunTotals {
  const { sessions, cost_usd, failures, stopping, gave_up, pauses } = totals;
  const { task_id, end, isReview, cost_usd: cost, failure, pause } = result;
  return {
    // A person who asked for one session has had none if its agent could not be started.
    sessions: sessions + (NOT_STARTED.includes(end.fault ?? '') ? 0 : 1),
    cost_usd: cost_usd + cost,
    failures: failure === null ? 0 : failures + 1,
    failure,
    // It stands, even if a session beside it ends well afterwards.
    stopping: stopping ?? (endsRun(end, isReview) ? end : null),
    last_pause: pause,
    gave_up: end.gave_up ? task_id : gave_up,
    // A session beside it that ends well does not end the limit.
    pauses: pause === null ? pauses : withPause(totals, pause).pauses,
  };
}

export const withPause = (totals: RunTotals, pause: Pause): RunTotals => ({
  ...totals,
  pauses: new Map(totals.pauses).set(pause.agent ?? '', pause),
});

const NOT_STARTED: readonly string[] = ['cannot_start', 'no_agent'];

/** A reviewer that a person has to mend would leave the work of every agent without a verdict. */
const endsRun = ({ fault }: AgentEnd, isReview: boolean): boolean =>
  fault === 'not_trusted' || (isReview && findFailure(fault)?.policy === 'stop');

/** What a person may have mended meanwhile stops the run no more. */
export const afterPause = (totals: RunTotals, now: number): RunTotals => ({
  ...totals,
  stopping: null,
  last_pause: null,
  failure: null,
  failures: 0,
  gave_up: null,
  pauses: new Map([...totals.pauses].filter(([, { until }]) => until === null || until > now)),
});

export type ParkedPause = Pause & { agent: string };

/** Those that hold now, each with its agent. */
export const parkedPauses = (pauses: RunTotals['pauses'], now: number): ParkedPause[] =>
  parkedNow(
    [...pauses].map(([agent, pause]) => ({ ...pause, agent })),
    now,
  );

export const budgetLeft = ({ budget_usd }: { budget_usd: number }, { cost_usd }: RunTotals): number =>
  budget_usd - cost_usd;
