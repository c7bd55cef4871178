// A run that has to wait, or ends, because of what its agents met: a limit, an outage, or something that a person has to mend.
import type { Config } from '../domain/config.ts';
import { AGENT_FAILURES } from '../domain/sessions/agent-failure.ts';
import { firstToTry, needsMending } from '../domain/sessions/parked-agents.ts';
import { localTime } from '../domain/text/amounts.ts';
import type { SupervisorEvent } from './input.ts';
import type { Pause } from './pauses.ts';
import type { ParkedPause } from './run-totals.ts';
import type { Stop } from './stop.ts';

/** Every task that could start is one of an agent that may not start now. */
export function stopParked(
  parked: readonly ParkedPause[],
  { agent }: Pick<Config, 'agent'>,
): (Stop & { pause: Pause }) | null {
  const pause = firstToTry(parked);
  return pause === null ? null : { ...stoppedBy(pause, pause.agent || agent, false), pause };
}

/** For those who watch the run. */
export const parkedEvent = (pause: ParkedPause): Extract<SupervisorEvent, { kind: 'parked' }> => {
  const { agent, until, fault } = pause;
  const sentence = needsMending(pause) ? stoppedBy(pause, agent, false).sentence : null;
  return { kind: 'parked', agent, until, fault, sentence };
};

/** `isLast`: no session would follow, so there is nothing to wait for. */
export function stoppedBy(
  { fault, detail, until, isAnnounced, place = null }: Pause,
  agent: string,
  isLast: boolean,
): Stop {
  const failure = AGENT_FAILURES[fault];
  const resume_at = isLast ? null : until;
  if (failure.policy === 'stop') {
    const sentence = failure.sentence({ agent, command: 'ralph run', detail, place });
    return { reason: 'unusable', exit_code: failure.exit_code, sentence, resume_at };
  }
  const sentence =
    isAnnounced && until !== null
      ? `The agent "${agent}" has reached its usage limit, and the task was not charged. Run ralph run again after ${localTime(until)}, or let it wait: ralph run --wait.`
      : `${failure.sentence({ agent, command: 'ralph run', detail })} No task was charged; ralph run --wait waits for as long as it takes.`;
  return {
    reason: failure.policy === 'limit' ? 'limit' : 'outage',
    exit_code: failure.exit_code,
    sentence,
    resume_at,
  };
}
