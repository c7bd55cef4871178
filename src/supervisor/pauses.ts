// How long a run waits for a fault that passes by itself. Where nobody announced its end, the pauses double up to a maximum, for
// a limited time.

import { setTimeout as pause } from 'node:timers/promises';
import { type AgentFault, findFailure } from '../domain/sessions/agent-failure.ts';
import { savePark } from '../queue/sessions/runs.ts';
import type { AgentEnd } from './agents/session-end.ts';
import type { SupervisorInput } from './input.ts';

export const FIRST_PAUSE_MS = 5_000;

export type Pause = {
  fault: AgentFault;
  detail: string | null;
  /** Whose fault it is, if the agent was chosen. */
  agent?: string | null;
  /** When to try again; null if the run has waited long enough. */
  until: number | null;
  /** Whether the client announced that time. */
  isAnnounced: boolean;
  /** Whether the run waits for it even without `--wait`. */
  isAwaited: boolean;
};

export type Pauses = {
  /** What to wait for after this end; null if there is nothing to wait for. */
  after(end: AgentEnd): Pause | null;
};

export type PauseOptions = {
  now: () => number;
  /** The longest pause where no end is announced. */
  pauseMs: number;
  /** How long an outage may last. */
  outageMs: number;
  /** How long an overload or a limit may last. */
  briefMs: number;
};

export function createPauses({ now, pauseMs, outageMs, briefMs }: PauseOptions): Pauses {
  // By agent, over all faults in a row: an API that is half down answers with a different one each time.
  const rows = new Map<string, { since: number; pauses: number; patienceMs: number }>();
  return {
    after: (end) => {
      const failure = findFailure(end.fault);
      const agent = end.agent ?? '';
      if (failure === null || failure.policy === 'stop') {
        rows.delete(agent);
        return null;
      }
      const at = now();
      const { since, pauses, patienceMs } = rows.get(agent) ?? { since: at, pauses: 0, patienceMs: briefMs };
      const patience = failure.policy === 'outage' ? Math.max(patienceMs, outageMs) : patienceMs;
      rows.set(agent, { since, pauses: pauses + 1, patienceMs: patience });
      const last = since + patience;
      const about = { fault: end.fault as AgentFault, detail: end.detail, agent: end.agent };
      const { limited_until } = end;
      if (failure.policy === 'limit' && limited_until !== null && limited_until > at)
        return { ...about, until: limited_until, isAnnounced: true, isAwaited: limited_until <= last };
      const next = at + Math.min(pauseMs, FIRST_PAUSE_MS * 2 ** pauses);
      const until = at >= last ? null : Math.min(next, last);
      return { ...about, until, isAnnounced: false, isAwaited: true };
    },
  };
}

/** Poll: a machine that slept wakes up late, and a person may want to stop. */
const LOOK_EVERY_MS = 1_000;

/** Tells observers about the pause, and stores a limit for other processes. */
export async function waitUntil(
  { queue, stop, tell }: Pick<SupervisorInput, 'queue' | 'stop' | 'tell'>,
  run_id: number,
  { until, fault, agent = null }: { until: number; fault: AgentFault | null; agent?: string | null },
): Promise<void> {
  tell({ kind: 'waiting', until, fault, agent });
  // Any other fault is over when the next try succeeds: a later run need not wait for it.
  if (fault === null || fault === 'usage_limit') await savePark(queue, run_id, { agent, until });
  while (queue.now() < until && !stop.after.aborted)
    await pause(Math.min(LOOK_EVERY_MS, until - queue.now()));
}

/** True once the pause has passed. The run waits for long limits only if the person asked for that. */
export async function waitOut(
  input: Pick<SupervisorInput, 'queue' | 'stop' | 'tell' | 'wait'>,
  run_id: number,
  pause: Pause | null,
): Promise<boolean> {
  if (pause?.until == null || input.stop.after.aborted) return false;
  if (!input.wait.enabled && !pause.isAwaited) return false;
  const { until, fault, agent = null } = pause;
  await waitUntil(input, run_id, { until, fault, agent });
  return !input.stop.after.aborted;
}
