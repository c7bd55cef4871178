// How an agent's process ended, built up from its stream, and what that means for its session.
import {
  AGENT_FAILURES,
  type AgentFault,
  findFailure,
  recogniseFault,
} from '../../domain/sessions/agent-failure.ts';
import type { AgentPlace } from '../../domain/sessions/choose-agent.ts';
import { withoutColours } from '../../domain/sessions/gate-output.ts';
import {
  addUsage,
  type InfrastructureFault,
  NO_USAGE,
  type SessionEnd,
  type SessionLimit,
  type Usage,
} from '../../domain/sessions/session.ts';
import type { Hindrance } from '../../domain/sessions/settle.ts';
import { nextModelIn } from '../../domain/sessions/sigil.ts';
import { explainLack } from '../../host/processes/spawn.ts';
import type { Observation } from './agent.ts';

/** `mayClimb`: another agent may take the task while this one is limited. */
type Circumstances = { changed_files: boolean; isStopped: boolean; mayClimb?: boolean };

/** What the end of a process means for its session. */
export function toSessionEnd(
  { fault, limit, exit_code, detail, limited_until }: AgentEnd,
  { changed_files, isStopped, mayClimb = false }: Circumstances,
): SessionEnd {
  if (isStopped) return { kind: 'infrastructure', fault: 'supervisor_killed', resume_at: null };
  if (fault !== null) {
    // If no end is announced, the whole run waits; after that nothing may hold the task back.
    const resume_at = findFailure(fault)?.policy === 'limit' && !mayClimb ? limited_until : null;
    return { kind: 'infrastructure', fault, resume_at, ...(detail !== null && { detail }) };
  }
  if (limit !== null)
    return { kind: 'limit', limit, changed_files, ...(limit === 'repeats' && detail !== null && { detail }) };
  return { kind: 'exited', exit_code };
}

/**
 * An agent that fails before it has done anything tells nothing about its task, and the next one would do no better.
 * `hasActed`: whether it called a verb or changed a file; called only if the answer counts.
 */
export async function judgeFailure(end: AgentEnd, hasActed: () => Promise<boolean>): Promise<AgentEnd> {
  // The process never started, so the task is not to blame.
  const lack = explainLack(end.error);
  if (lack !== null) return failedBy(end, `The agent${named(end.agent)} could not be started: ${lack}.`);
  if (end.error !== null) return { ...end, fault: 'cannot_start', detail: end.error };
  const isExplained = end.fault !== null || end.limit !== null || end.hindrance !== null;
  if (end.exit_code === 0 || isExplained) return end;
  const met = withFault(end, null);
  if (met.fault !== null) return { ...end, ...met };
  if (end.answers > 0 || (await hasActed())) return end;
  // No exit code: a signal from outside, for example because memory ran out. That may pass.
  const fault = end.exit_code === null ? 'agent_killed' : 'agent_failed';
  return { ...end, fault, detail: end.last_words };
}

const named = (agent: string | null): string => (agent === null ? '' : ` "${agent}"`);

export type AgentEnd = {
  /** The name of the agent; null before it is chosen. */
  agent: string | null;
  /** Where it was chosen; null for a reviewer, and where no task decides it. */
  place: AgentPlace | null;
  exit_code: number | null;
  /** Why the process could not be started. */
  error: string | null;
  fault: InfrastructureFault | null;
  /** What the agent or its client said about the fault, or the step that the session repeated. */
  detail: string | null;
  limit: SessionLimit | null;
  /** The number of the model's answers, as far as the agent tells them apart. */
  answers: number;
  /** The last of them. */
  answer: string | null;
  /** Requests in a row that the client failed with, as far as it tells. */
  retries: number;
  /** The client's own name for the session. */
  client_session: string | null;
  /** Whether its login is a subscription. */
  isPlan: boolean;
  /** The last request that its client gave up on. */
  failure: { error: string; detail: string | null } | null;
  usage: Usage;
  /** The paths that it wrote with its own tools, each once. */
  files: readonly string[];
  /** Its last message; null if it said nothing. */
  last_said: string | null;
  /** The beginning of a message that comes in pieces. */
  pieces: string;
  /** When its limit ends; null if unknown. */
  limited_until: number | null;
  /** The model that it asked for, for the task's next session. */
  next_model: string | null;
  /** Whether it said that nothing can go on. */
  gave_up: boolean;
  /** The end of its standard error, if it failed. */
  last_words: string | null;
  /** What kept it from starting or going on. */
  hindrance: Hindrance | null;
};

export const NOT_RUN: AgentEnd = {
  agent: null,
  place: null,
  exit_code: null,
  error: null,
  fault: null,
  detail: null,
  limit: null,
  answers: 0,
  answer: null,
  retries: 0,
  client_session: null,
  isPlan: false,
  failure: null,
  usage: NO_USAGE,
  files: [],
  last_said: null,
  pieces: '',
  limited_until: null,
  next_model: null,
  gave_up: false,
  last_words: null,
  hindrance: null,
};

/** This machine failed, and not the agent. */
export const failedBy = (end: AgentEnd, reason: string): AgentEnd => ({
  ...end,
  fault: end.fault ?? 'machine_failed',
  hindrance: { kind: 'machine_failed', reason },
});

/** More than a person looks through; the commit has all of them. */
const MAX_FILES = 500;

/** The first fault and the first limit count: later ones are their consequence. */
export function applyObservation(end: AgentEnd, observation: Observation): AgentEnd {
  switch (observation.kind) {
    case 'connected':
      return { ...end, isPlan: observation.isPlan };
    case 'identified':
      return { ...end, client_session: observation.id };
    case 'spent':
      return { ...end, usage: addUsage(end.usage, { ...NO_USAGE, ...observation.usage }) };
    case 'turn': {
      const { answer } = observation;
      const isNew = answer === null || answer !== end.answer;
      const pieces = observation.isPiece
        ? `${isNew ? '' : end.pieces}${observation.words ?? ''}`.slice(0, MAX_PIECES)
        : '';
      return {
        ...end,
        usage: { ...end.usage, turns: end.usage.turns + (isNew ? 1 : 0) },
        answers: end.answers + (isNew && answer !== null ? 1 : 0),
        answer,
        retries: 0,
        failure: null,
        files: [...new Set([...end.files, ...(observation.files ?? [])])].slice(0, MAX_FILES),
        last_said: shortenMessage(observation.isPiece ? pieces : observation.words) ?? end.last_said,
        pieces,
      };
    }
    case 'step_begun':
    case 'step_ended':
      return end;
    case 'fault':
      return { ...end, fault: end.fault ?? observation.fault };
    case 'retry': {
      const { fault, detail = null, isSilent = false } = observation;
      const retries = end.retries + 1;
      const isOver = isHopeless(end, fault) || (isSilent && retries >= MAX_SILENT_RETRIES);
      return { ...end, retries, ...(isOver && { fault: end.fault ?? fault, detail: end.detail ?? detail }) };
    }
    case 'failure':
      return { ...end, failure: observation };
    case 'limited':
      return { ...end, limited_until: observation.until };
    case 'result':
      return {
        ...end,
        usage: knownUsage(end.usage, observation.usage),
        limit: end.limit ?? observation.limit,
        ...(observation.isError && withFault(end, observation.status)),
        last_said: shortenMessage(observation.text) ?? end.last_said,
        next_model: nextModelIn(observation.text.split('\n')) ?? end.next_model,
      };
  }
}

/** What the client tells at the end holds; what it does not tell is as Ralph counted it. */
const knownUsage = (
  counted: Usage,
  { model, turns, input_tokens, output_tokens, cost_usd }: Extract<Observation, { kind: 'result' }>['usage'],
): Usage => ({
  model: model ?? counted.model,
  turns: turns ?? counted.turns,
  input_tokens: input_tokens ?? counted.input_tokens,
  output_tokens: output_tokens ?? counted.output_tokens,
  cost_usd: cost_usd ?? counted.cost_usd,
});

/** A client that retries for ever without a word would end at the idle limit, and its task would pay for that. */
const MAX_SILENT_RETRIES = 3;

/** The client would retry for minutes. A limit per request passes in seconds; the limit of a subscription does not. */
const isHopeless = ({ isPlan }: AgentEnd, fault: AgentFault): boolean =>
  fault === 'not_logged_in' || (fault === 'usage_limit' && isPlan);

/** `status`: the HTTP status of the API; it tells faults apart to which the client gives one name. */
function withFault(end: AgentEnd, status: number | null): Pick<AgentEnd, 'fault' | 'detail'> {
  const fault = recogniseFault({ error: end.failure?.error ?? null, status, isPlan: end.isPlan });
  const isOwn = fault !== null && end.answers > 0 && AGENT_FAILURES[fault].charged === 'if_answered';
  if (end.fault !== null || isOwn) return { fault: end.fault, detail: end.detail };
  return { fault, detail: end.failure?.detail ?? null };
}

/** More than is shown, because blanks are not. */
const MAX_PIECES = 2_000;
/** Enough to know what the agent was doing. */
const MAX_MESSAGE_CHARACTERS = 500;

function shortenMessage(words: string | null | undefined): string | null {
  const text = withoutColours(words ?? '')
    .replace(/\s+/g, ' ')
    .trim();
  if (text === '') return null;
  return text.length <= MAX_MESSAGE_CHARACTERS ? text : `${text.slice(0, MAX_MESSAGE_CHARACTERS)}...`;
}
