// What is known of an agent's process once it has ended, put together from what its stream said.

import { type InfrastructureFault, NO_USAGE, type SessionLimit, type Usage } from '../domain/session.ts';
import type { Hindrance } from '../domain/settle.ts';
import type { Observation } from './agent.ts';
import { nextModelIn } from './sigils.ts';

export type AgentEnd = {
  exit_code: number | null;
  /** Why it could not be started. */
  error: string | null;
  fault: InfrastructureFault | null;
  limit: SessionLimit | null;
  usage: Usage;
  /** What it wrote by its own tools, each path once. */
  files: readonly string[];
  /** When its limit ends; null where nobody said. */
  limited_until: number | null;
  /** The model that it asked for, for the task's next session. */
  next_model: string | null;
  /** What kept it from being started, or from going on. */
  hindrance: Hindrance | null;
};

export const NOT_RUN: AgentEnd = {
  exit_code: null,
  error: null,
  fault: null,
  limit: null,
  usage: NO_USAGE,
  files: [],
  limited_until: null,
  next_model: null,
  hindrance: null,
};

/** More than anybody looks through; the commit has them all. */
const MOST_FILES = 500;

/** The first fault and the first limit count: what follows is their consequence. */
export function heardOf(end: AgentEnd, observation: Observation): AgentEnd {
  switch (observation.kind) {
    case 'connected':
      return end;
    case 'turn':
      return {
        ...end,
        usage: { ...end.usage, turns: end.usage.turns + 1 },
        files: [...new Set([...end.files, ...(observation.files ?? [])])].slice(0, MOST_FILES),
      };
    case 'fault':
      return { ...end, fault: end.fault ?? observation.fault };
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
        fault: end.fault ?? observation.fault,
        next_model: nextModelIn(observation.text) ?? end.next_model,
      };
  }
}
