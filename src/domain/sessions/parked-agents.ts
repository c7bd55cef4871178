// An agent that met a limit or an outage, or that a person has to mend, starts nothing for a while. The others go on.
import { localTime } from '../text/amounts.ts';
import { AGENT_FAILURES, type AgentFault } from './agent-failure.ts';
import type { AgentPlace } from './choose-agent.ts';

/** `until`: when to try it again; null if the run does not. */
export type ParkedAgent = { agent: string; until: number | null };

/**
 * As a run records it for other processes. `place`: where the agent was chosen for the task that met it. `host`: the machine that
 * cannot use it, if several share the queue.
 */
export type RecordedPark = ParkedAgent & {
  fault: AgentFault;
  detail: string | null;
  place?: AgentPlace | null;
  host?: string | null;
  /** Whether the run that found it has ended: a person may have mended it since. */
  isPast?: boolean;
};

/** The agents that may start nothing now. */
export const parkedNow = <Parked extends ParkedAgent>(parked: Iterable<Parked>, now: number): Parked[] =>
  [...parked].filter(({ until }) => until === null || until > now);

/** What to wait for if no other agent can work: the agent that may try first. */
export const firstToTry = <Parked extends ParkedAgent>(parked: readonly Parked[]): Parked | null =>
  parked.reduce<Parked | null>((first, one) => (parkEnd(one) < parkEnd(first) ? one : (first ?? one)), null);

const parkEnd = (parked: ParkedAgent | null): number => parked?.until ?? Number.POSITIVE_INFINITY;

/** Whether a person has to act before the agent can work again. */
export const needsMending = ({ fault }: { fault: AgentFault }): boolean =>
  AGENT_FAILURES[fault].policy === 'stop';

/** Why the agent starts nothing, for people, and what they can do. */
export function parkedText(park: RecordedPark, place: AgentPlace | null = park.place ?? null): string {
  const { agent, until, fault, detail, host = null, isPast = false } = park;
  if (!needsMending(park))
    return `${agent} has reached its usage limit${until === null ? '' : `, until ${localTime(until)}`}`;
  const sentence = AGENT_FAILURES[fault].sentence({ agent, command: 'ralph run', detail, place });
  const message = isPast ? `The last run found: ${sentence}` : sentence;
  return host === null ? message : `On ${host}: ${message}`;
}
