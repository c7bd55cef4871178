// What an agent is seen to do goes to whoever looks; what it says by sigils is recorded at once, in order.

import { Refusal } from '../domain/refusal.ts';
import { withProjectPaths } from '../domain/text/text.ts';
import type { Claim } from '../queue/tasks/claim.ts';
import type { Observation } from './agent.ts';
import type { SupervisorInput } from './input.ts';
import { recordSigil } from './sigils.ts';

/** Enough to tell why, not more than a person reads. */
const LINES_BEFORE = 12;

export type Listener = {
  hear(observation: Observation): void;
  /** Fulfilled when all that was said is on disk. */
  heard(): Promise<void>;
};

export function observeSession(
  { queue, root, tell }: Pick<SupervisorInput, 'queue' | 'root' | 'tell'>,
  claim: Claim,
): Listener {
  const words: string[] = [];
  let recording: Promise<void> = Promise.resolve();
  let failure: unknown = null;
  return {
    hear: (observation) => {
      tell({ kind: 'observed', claim, observation: forPeople(observation, root) });
      if (observation.kind === 'turn' && observation.action !== null) words.push(observation.action);
      if (observation.kind !== 'sigil') return;
      const heard = {
        session_id: claim.session.id,
        task_id: claim.task.id,
        sigil: observation.sigil,
        words: words.slice(-LINES_BEFORE).join('\n'),
      };
      recording = recording
        .then(() => recordSigil(queue, heard))
        .then((why) => {
          if (why !== null) tell({ kind: 'not_believed', claim, why });
        })
        // Said too late, or what cannot be stored: nothing that should end a run.
        .catch((error: unknown) => {
          if (!(error instanceof Refusal)) failure ??= error;
          else tell({ kind: 'not_believed', claim, why: error.message });
        });
    },
    heard: async () => {
      await recording;
      if (failure !== null) throw failure;
    },
  };
}

/** Paths as the project names them; what it said is in its stream. */
function forPeople(observation: Observation, root: string): Observation {
  if (observation.kind !== 'turn') return observation;
  const { words: _, action, ...turn } = observation;
  return { ...turn, action: action === null ? null : withProjectPaths(action, root) };
}
