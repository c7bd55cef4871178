// Tells observers what an agent does, and records its sigils at once and in order.

import { Refusal } from '../domain/refusal.ts';
import { withProjectPaths } from '../domain/text/text.ts';
import type { Claim } from '../queue/tasks/claim.ts';
import type { Observation } from './agent.ts';
import type { SupervisorInput } from './input.ts';
import { recordSigil } from './sigils.ts';

/** Enough lines to explain a sigil, and no more than a person reads. */
const LINES_BEFORE = 12;

export type SessionObserver = {
  observe(observation: Observation): void;
  /** Resolves when every sigil is on disk. */
  recorded(): Promise<void>;
};

export function observeSession(
  { queue, root, tell }: Pick<SupervisorInput, 'queue' | 'root' | 'tell'>,
  claim: Claim,
): SessionObserver {
  const words: string[] = [];
  let recording: Promise<void> = Promise.resolve();
  let failure: unknown = null;
  return {
    observe: (observation) => {
      tell({ kind: 'observed', claim, observation: forPeople(observation, root) });
      if (observation.kind === 'turn' && observation.action !== null) words.push(observation.action);
      if (observation.kind !== 'sigil') return;
      const report = {
        session_id: claim.session.id,
        task_id: claim.task.id,
        sigil: observation.sigil,
        words: words.slice(-LINES_BEFORE).join('\n'),
      };
      recording = recording
        .then(() => recordSigil(queue, report))
        .then((why) => {
          if (why !== null) tell({ kind: 'not_believed', claim, why });
        })
        // A sigil that comes too late or cannot be stored must not end a run.
        .catch((error: unknown) => {
          if (!(error instanceof Refusal)) failure ??= error;
          else tell({ kind: 'not_believed', claim, why: error.message });
        });
    },
    recorded: async () => {
      await recording;
      if (failure !== null) throw failure;
    },
  };
}

/** Shortens paths to project paths and drops the text, which is in the stream. */
function forPeople(observation: Observation, root: string): Observation {
  if (observation.kind !== 'turn') return observation;
  const { words: _, action, ...turn } = observation;
  return { ...turn, action: action === null ? null : withProjectPaths(action, root) };
}
