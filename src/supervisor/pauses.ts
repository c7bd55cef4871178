// How long a run waits for what passes by itself. The pauses of an outage double, up to a bound and for a while only.
import { type AgentFault, failureBy } from '../domain/sessions/agent-failure.ts';
import type { AgentEnd } from './agent-end.ts';

export const FIRST_PAUSE_MS = 5_000;

/** `until`: null where the run has waited long enough. */
export type Pause = { fault: AgentFault; detail: string | null; until: number | null };

export type Pauses = {
  /** What to wait for after such an end; null where there is nothing to wait for. */
  after(end: AgentEnd): Pause | null;
};

export type Patience = {
  now: () => number;
  /** How long to wait for a limit whose end nobody knows; the longest pause of an outage. */
  pauseMs: number;
  /** How long an outage may last. */
  outageMs: number;
};

export function pausesBy({ now, pauseMs, outageMs }: Patience): Pauses {
  let outage: { since: number; pauses: number } | null = null;
  return {
    after: (end) => {
      const failure = failureBy(end.fault);
      if (failure === null || failure.policy === 'stop') {
        outage = null;
        return null;
      }
      const { detail } = end;
      const fault = end.fault as AgentFault;
      if (failure.policy === 'limit') {
        outage = null;
        return { fault, detail, until: end.limited_until ?? now() + pauseMs };
      }
      const { since, pauses } = outage ?? { since: now(), pauses: 0 };
      outage = { since, pauses: pauses + 1 };
      const last = since + outageMs;
      const next = now() + Math.min(pauseMs, FIRST_PAUSE_MS * 2 ** pauses);
      return { fault, detail, until: now() >= last ? null : Math.min(next, last) };
    },
  };
}
