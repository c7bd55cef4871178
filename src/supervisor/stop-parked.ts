// A run that has to wait, or ends, because an agent met a limit or an outage.
import type { Config } from '../domain/config.ts';
import { AGENT_FAILURES } from '../domain/sessions/agent-failure.ts';
import { firstToTry } from '../domain/sessions/parked-agents.ts';
import { localTime } from '../domain/text/amounts.ts';
import type { Pause } from './pauses.ts';
import { parkedPauses, type RunTotals } from './run-totals.ts';
import type { Stop } from './stop.ts';

/** Every task that could start is one of an agent that may not start now. */
export function stopParked(
  { pauses }: Pick<RunTotals, 'pauses'>,
  { agent }: Pick<Config, 'agent'>,
  now: number,
): (Stop & { pause: Pause }) | null {
  const pause = firstToTry(parkedPauses(pauses, now));
  return pause === null ? null : { ...stoppedBy(pause, pause.agent || agent, false), pause };
}

/** `isLast`: no session would follow, so there is nothing to wait for. */
export function stoppedBy(
  { fault, detail, until, isAnnounced }: Pause,
  agent: string,
  isLast: boolean,
): Stop {
  const failure = AGENT_FAILURES[fault];
  const sentence =
    isAnnounced && until !== null
      ? `The agent "${agent}" has reached its usage limit, and the task was not charged. Run ralph run again after ${localTime(until)}, or let it wait: ralph run --wait.`
      : `${failure.sentence({ agent, command: 'ralph run', detail })} No task was charged; ralph run --wait waits for as long as it takes.`;
  return {
    reason: failure.policy === 'limit' ? 'limit' : 'outage',
    exit_code: failure.exit_code,
    sentence,
    resume_at: isLast ? null : until,
  };
}
