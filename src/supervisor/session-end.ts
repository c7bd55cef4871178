import {
  AGENT_FAILURES,
  type AgentFault,
  findFailure,
  recogniseFault,
} from '../domain/sessions/agent-failure.ts';
import { withoutColours } from '../domain/sessions/gate-output.ts';
import type { SessionEnd } from '../domain/sessions/session.ts';
import {
  type InfrastructureFault,
  NO_USAGE,
  type SessionLimit,
  type Usage,
} from '../domain/sessions/session.ts';
import type { Hindrance } from '../domain/sessions/settle.ts';
import type { Observation } from './agent.ts';
import { nextModelIn } from './sigils.ts';

export type Circumstances = { changed_files: boolean; limited_until: number; isStopped: boolean };

/** What the end of a process means for its session. */
export function endOf(
  { fault, limit, exit_code, detail }: AgentEnd,
  { changed_files, limited_until, isStopped }: Circumstances,
): SessionEnd {
  if (isStopped) return { kind: 'infrastructure', fault: 'supervisor_killed', resume_at: null };
  if (fault !== null) {
    // For an outage the run as a whole waits: once that has passed, nothing may keep the task back.
    const resume_at = findFailure(fault)?.policy === 'limit' ? limited_until : null;
    return { kind: 'infrastructure', fault, resume_at, ...(detail !== null && { detail }) };
  }
  if (limit !== null) return { kind: 'limit', limit, changed_files };
  return { kind: 'exited', exit_code };
}

/** Of a session that changes no file. `now`: until when a limit holds whose end nobody knows. */
export function endOfReading(
  end: AgentEnd,
  { now, isStopped }: { now: number; isStopped: boolean },
): SessionEnd {
  return endOf(end, { changed_files: false, limited_until: end.limited_until ?? now, isStopped });
}

/**
 * One that ends with an error and has done nothing until then says nothing of its task, and the next one would do no better.
 * `hasActed`: whether it said a verb or changed a file; asked only where the answer counts.
 */
export async function judgeFailure(end: AgentEnd, hasActed: () => Promise<boolean>): Promise<AgentEnd> {
  // An agent that is not there has done nothing wrong.
  if (end.error !== null) return { ...end, fault: 'cannot_start', detail: end.error };
  const isExplained = end.fault !== null || end.limit !== null || end.hindrance !== null;
  if (end.exit_code === 0 || isExplained) return end;
  const met = withFault(end, null);
  if (met.fault !== null) return { ...end, ...met };
  if (end.answers > 0 || (await hasActed())) return end;
  // By a signal from outside, for example where memory runs out: that may pass.
  const fault = end.exit_code === null ? 'agent_killed' : 'agent_failed';
  return { ...end, fault, detail: end.last_words };
}
// What is known of an agent's process once it has ended, put together from what its stream said.

export type AgentEnd = {
  exit_code: number | null;
  /** Why it could not be started. */
  error: string | null;
  fault: InfrastructureFault | null;
  /** What it or its client said of the fault. */
  detail: string | null;
  limit: SessionLimit | null;
  /** Answers of the model, as far as the agent tells one from another. */
  answers: number;
  /** Whether its login is a plan. */
  isPlan: boolean;
  /** What its client gave up on last. */
  failure: { error: string; detail: string | null } | null;
  usage: Usage;
  /** What it wrote by its own tools, each path once. */
  files: readonly string[];
  /** Whether it used tools that may write without naming what, as a shell does. */
  unnamed_writes: boolean;
  /** The last thing that it said; null where it said nothing. */
  last_said: string | null;
  /** When its limit ends; null where nobody said. */
  limited_until: number | null;
  /** The model that it asked for, for the task's next session. */
  next_model: string | null;
  /** The end of its standard error, where it failed. */
  last_words: string | null;
  /** What kept it from being started, or from going on. */
  hindrance: Hindrance | null;
};

export const NOT_RUN: AgentEnd = {
  exit_code: null,
  error: null,
  fault: null,
  detail: null,
  limit: null,
  answers: 0,
  isPlan: false,
  failure: null,
  usage: NO_USAGE,
  files: [],
  unnamed_writes: false,
  last_said: null,
  limited_until: null,
  next_model: null,
  last_words: null,
  hindrance: null,
};

/** More than anybody looks through; the commit has them all. */
const MOST_FILES = 500;

/** The first fault and the first limit count: what follows is their consequence. */
export function heardOf(end: AgentEnd, observation: Observation): AgentEnd {
  switch (observation.kind) {
    case 'connected':
      return { ...end, isPlan: observation.isPlan };
    case 'turn':
      return {
        ...end,
        usage: { ...end.usage, turns: end.usage.turns + 1 },
        answers: end.answers + (observation.answer === null ? 0 : 1),
        failure: null,
        files: [...new Set([...end.files, ...(observation.files ?? [])])].slice(0, MOST_FILES),
        last_said: shortened(observation.words) ?? end.last_said,
        unnamed_writes: end.unnamed_writes || (observation.unnamed_writes ?? false),
      };
    case 'fault':
      return { ...end, fault: end.fault ?? observation.fault };
    case 'retry':
      return isHopeless(end, observation.fault) ? { ...end, fault: end.fault ?? observation.fault } : end;
    case 'failure':
      return { ...end, failure: observation };
    case 'limited':
      return { ...end, limited_until: observation.until };
    case 'sigil': {
      const { sigil } = observation;
      return sigil.kind === 'next_model' ? { ...end, next_model: sigil.model } : end;
    }
    case 'result':
      return {
        ...end,
        usage: observation.usage,
        limit: end.limit ?? observation.limit,
        ...(observation.isError && withFault(end, observation.status)),
        last_said: shortened(observation.text) ?? end.last_said,
        next_model: nextModelIn(observation.text) ?? end.next_model,
      };
  }
}

/** Such a client would try again for minutes. A limit by the request passes in seconds; the one of a plan does not. */
const isHopeless = ({ isPlan }: AgentEnd, fault: AgentFault): boolean =>
  fault === 'not_logged_in' || (fault === 'usage_limit' && isPlan);

/** `status`: of the API, which tells apart what the client gives one name. */
export function withFault(end: AgentEnd, status: number | null): Pick<AgentEnd, 'fault' | 'detail'> {
  const fault = recogniseFault({ error: end.failure?.error ?? null, status });
  const isOwn = fault !== null && end.answers > 0 && AGENT_FAILURES[fault].charged === 'if_answered';
  if (end.fault !== null || isOwn) return { fault: end.fault, detail: end.detail };
  return { fault, detail: end.failure?.detail ?? null };
}

/** Enough to know what it was at. */
const MOST_WORDS = 500;

function shortened(words: string | null | undefined): string | null {
  const text = withoutColours(words ?? '')
    .replace(/\s+/g, ' ')
    .trim();
  if (text === '') return null;
  return text.length <= MOST_WORDS ? text : `${text.slice(0, MOST_WORDS)}...`;
}
