// What a run waits for, and which agents start nothing.
import { faultWords } from '../../domain/sessions/session.ts';
import { localTime } from '../../domain/text/amounts.ts';
import type { SupervisorEvent } from '../../supervisor/input.ts';
import { oneLine } from '../terminal/style.ts';

export const waitingText = ({
  until,
  fault,
  agent,
}: Extract<SupervisorEvent, { kind: 'waiting' }>): string =>
  fault === null
    ? `⏸ no task may start before ${localTime(until)}`
    : `⏸ ${agentPrefix(agent)}${faultWords(fault)}; trying again at ${localTime(until)}`;

export const parkedText = ({
  until,
  fault,
  agent,
  sentence,
}: Extract<SupervisorEvent, { kind: 'parked' }>): string =>
  sentence !== null
    ? `⏸ ${oneLine(sentence)} Its tasks wait for that.`
    : `⏸ ${agentPrefix(agent)}${faultWords(fault)}; ${until === null ? 'this run does not try it again' : `trying again at ${localTime(until)}`}; other agents go on`;

const agentPrefix = (agent: string | null): string =>
  agent === null || agent === '' ? '' : `${oneLine(agent)}: `;
