// How long an agent starts nothing after a fault. If its end is not known, the pauses double up to a maximum, for a limited
// time. What a person has to mend does not pass by itself: only a run that waits for ever tries such an agent again.

import { setTimeout as pause } from 'node:timers/promises';
import { type AgentFault, findFailure } from '../domain/sessions/agent-failure.ts';
import type { AgentPlace } from '../domain/sessions/choose-agent.ts';
import { savePark } from '../queue/sessions/runs.ts';
import type { AgentEnd } from './agents/session-end.ts';
import type { SupervisorInput } from './input.ts';

export const FIRST_PAUSE_MS = 5_000;

export type Pause = {
  fault: AgentFault;
  detail: string | null;
  /** Whose fault it is, if the agent was chosen. */
  agent?: string | null;
  /** Where a person would choose another agent. */
  place?: AgentPlace | null;
  /** When to try again; null if this run does not. */
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

type PauseOptions = {
  now: () => number;
  /** The longest pause where no end is announced. */
  pauseMs: number;
  /** How long an outage may last. */
  outageMs: number;
  /** How long an overload or a limit may last. */
  briefMs: number;
  /** Whether to try an agent again that a person has to mend. */
  isEndless?: boolean;
};

export function createPauses(options: PauseOptions): Pauses {
  const { now, pauseMs, outageMs, briefMs, isEndless = false } = options;
  // By agent, over all faults in a row: an API that is half down answers with a different one each time.
  const rows = new Map<string, { since: number; pauses: number; patienceMs: number }>();
  /** By agent: its sessions in a row that ended by a fault that a person has to mend. */
  const strikes = new Map<string, number>();
  return {
    after: (end) => {
      const failure = findFailure(end.fault);
      const agent = end.agent ?? '';
      if (failure?.policy !== 'stop') strikes.delete(agent);
      if (failure === null || failure.policy === 'stop') rows.delete(agent);
      if (failure === null) return null;
      const at = now();
      const about = {
        fault: end.fault as AgentFault,
        detail: end.detail,
        agent: end.agent,
        place: end.place,
      };
      if (failure.policy === 'stop') {
        const count = (strikes.get(agent) ?? 0) + 1;
        strikes.set(agent, count);
        const beyond = count - 1 - failure.tolerated;
        const again = isEndless ? at + Math.min(pauseMs, FIRST_PAUSE_MS * 2 ** beyond) : null;
        // A tolerated fault is over at once.
        return { ...about, until: beyond < 0 ? at : again, isAnnounced: false, isAwaited: isEndless };
      }
      const { since, pauses, patienceMs } = rows.get(agent) ?? { since: at, pauses: 0, patienceMs: briefMs };
      const patience = failure.policy === 'outage' ? Math.max(patienceMs, outageMs) : patienceMs;
      rows.set(agent, { since, pauses: pauses + 1, patienceMs: patience });
      const last = since + patience;
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
/** It takes some queries. */
const ASK_EVERY = 5;

/** Tells observers about the pause, and stores a limit for other processes. */
export async function waitUntil(
  { queue, stop, tell }: Pick<SupervisorInput, 'queue' | 'stop' | 'tell'>,
  run_id: number,
  { until, fault, agent = null, isOver }: Wait,
): Promise<void> {
  tell({ kind: 'waiting', until, fault, agent });
  // Any other fault is over when the next try succeeds: a later run need not wait for it.
  if (fault === null || fault === 'usage_limit') await savePark(queue, run_id, { agent, until });
  for (let looks = 1; queue.now() < until && !stop.after.aborted; looks++) {
    await pause(Math.min(LOOK_EVERY_MS, until - queue.now()));
    if (looks % ASK_EVERY === 1 && (await isOver?.())) return;
  }
}

type Wait = {
  until: number;
  fault: AgentFault | null;
  agent?: string | null;
  /** Whether something else can be done by now. */
  isOver?: () => Promise<boolean>;
};

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
