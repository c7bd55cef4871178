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
  /** How the last agent ended; null before the first, and after a pause. */
  readonly last: AgentEnd | null;
  /** Sessions in a row that ended by a fault of which some are tolerated. A fault during a review is none of them. */
  readonly unlucky: number;
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
  last: null,
  unlucky: 0,
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
  const { sessions, cost_usd, failures, last, unlucky, gave_up, pauses } = totals;
  const { task_id, end, isReview, cost_usd: cost, failure, pause } = result;
  const isUnlucky = !isReview && (findFailure(end.fault)?.tolerated ?? 0) > 0;
  return {
    sessions: sessions + 1,
    cost_usd: cost_usd + cost,
    failures: failure === null ? 0 : failures + 1,
    failure,
    // What stops the run or lets it wait stands, even if a session beside it ends well afterwards.
    ...(isStopping(totals) ? { last, unlucky } : { last: end, unlucky: isUnlucky ? unlucky + 1 : 0 }),
    gave_up: end.gave_up ? task_id : gave_up,
    // A session beside it that ends well does not end the limit.
    pauses: pause === null ? pauses : new Map(pauses).set(pause.agent ?? '', pause),
  };
}

const isStopping = (totals: RunTotals): boolean => {
  const fault = totals.last?.fault ?? null;
  return fault === 'not_trusted' || (findFailure(fault)?.policy === 'stop' && !isTolerated(totals));
};

/** Whether the run tries another session after a fault that only a person could mend if it stayed. */
export const isTolerated = ({ last, unlucky }: Pick<RunTotals, 'last' | 'unlucky'>): boolean =>
  unlucky > 0 && unlucky <= (findFailure(last?.fault ?? null)?.tolerated ?? 0);

/** What a person may have mended meanwhile stops the run no more. */
export const afterPause = (totals: RunTotals, now: number): RunTotals => ({
  ...totals,
  last: null,
  failure: null,
  failures: 0,
  gave_up: null,
  pauses: new Map([...totals.pauses].filter(([, { until }]) => until === null || until > now)),
});

/** Those that hold now, each with its agent. */
export const parkedPauses = (pauses: RunTotals['pauses'], now: number): (Pause & { agent: string })[] =>
  parkedNow(
    [...pauses].map(([agent, pause]) => ({ ...pause, agent })),
    now,
  );

export const budgetLeft = ({ budget_usd }: { budget_usd: number }, { cost_usd }: RunTotals): number =>
  budget_usd - cost_usd;
