// How long a run waits for a fault that passes by itself. The pauses of an outage double up to a maximum, for a limited time.

import { setTimeout as pause } from 'node:timers/promises';
import { type AgentFault, findFailure } from '../domain/sessions/agent-failure.ts';
import { saveResume } from '../queue/sessions/runs.ts';
import type { SupervisorInput } from './input.ts';
import type { AgentEnd } from './session-end.ts';

export const FIRST_PAUSE_MS = 5_000;

/** `until`: null if the run has waited long enough. */
export type Pause = { fault: AgentFault; detail: string | null; until: number | null };

export type Pauses = {
  /** What to wait for after this end; null if there is nothing to wait for. */
  after(end: AgentEnd): Pause | null;
};

export type PauseOptions = {
  now: () => number;
  /** How long to wait for a limit whose end is unknown; also the longest pause of an outage. */
  pauseMs: number;
  /** How long an outage may last. */
  outageMs: number;
};

export function createPauses({ now, pauseMs, outageMs }: PauseOptions): Pauses {
  let outage: { since: number; pauses: number } | null = null;
  return {
    after: (end) => {
      const failure = findFailure(end.fault);
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

/** Poll: a machine that slept wakes up late, and a person may want to stop. */
const LOOK_EVERY_MS = 1_000;

/** Tells observers about the pause, and stores a limit for other processes. */
export async function waitUntil(
  { queue, stop, tell }: Pick<SupervisorInput, 'queue' | 'stop' | 'tell'>,
  run_id: number,
  { until, fault }: { until: number; fault: AgentFault | null },
): Promise<void> {
  tell({ kind: 'waiting', until, fault });
  // An outage is over when the next try succeeds: a later run need not wait for it.
  if (findFailure(fault)?.policy !== 'outage') await saveResume(queue, run_id, until);
  while (queue.now() < until && !stop.after.aborted)
    await pause(Math.min(LOOK_EVERY_MS, until - queue.now()));
}

/** True once the pause has passed. The run waits for limits only if the person asked for that. */
export async function waitOut(
  input: Pick<SupervisorInput, 'queue' | 'stop' | 'tell' | 'wait'>,
  run_id: number,
  pause: Pause | null,
): Promise<boolean> {
  if (pause === null || pause.until === null || input.stop.after.aborted) return false;
  if (!input.wait.enabled && findFailure(pause.fault)?.policy !== 'outage') return false;
  await waitUntil(input, run_id, { until: pause.until, fault: pause.fault });
  return !input.stop.after.aborted;
}
