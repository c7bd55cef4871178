// Runs the gates of a session that waits in the train on what the trunk will probably be when its turn comes. It only warms a
// cache: the result counts if the tree that is then to be landed is exactly the one that was judged.

import { MachineFailed } from '../../domain/refusal.ts';
import type { GateResult } from '../../domain/sessions/gate.ts';
import { GateStopped } from '../gates/gates.ts';
import { holdingOffGc } from '../git/hold-off-gc.ts';
import { holdCommit } from '../git/refs.ts';
import type { Slot } from '../slots/slot.ts';
import { mergeWork } from './merge.ts';
import { type GateGround, inGateSlot } from './slot-gates.ts';
import type { Train } from './train.ts';
import { candidateRef, plainCommit, type WorkCommit } from './work-refs.ts';

export type Speculation = {
  /** Resolves once no prediction is being made any more. A late one would replace what the session's turn finds out. */
  predicted(): Promise<void>;
  /** The results for exactly this tree; null if another one was judged, or none. Ends the gates then. */
  take(tree: string): Promise<GateResult[] | null>;
  end(): Promise<void>;
};

export const NO_SPECULATION: Speculation = {
  predicted: async () => {},
  take: async () => null,
  end: async () => {},
};

type SpeculationInput = {
  ground: GateGround;
  train: Train;
  session_id: string;
  work: WorkCommit;
  /** Judges the tree in this slot. */
  judge(slot: Slot, tree: string, stop: AbortSignal): Promise<GateResult[]>;
};

export function speculate({ ground, train, session_id, work, judge }: SpeculationInput): Speculation {
  const { repository } = ground.place;
  const over = new AbortController();
  const { rules } = ground;
  // A person who wants everything ended now also ends gates that a session whose turn has come waits for.
  const stop = rules.stop === undefined ? over.signal : AbortSignal.any([rules.stop, over.signal]);
  const stoppable = { ...ground, isSpeculative: true, rules: { ...rules, stop } };
  const guess = guessCandidate().catch(ifFailed);
  const results = guess.then((found) =>
    found === null || over.signal.aborted
      ? null
      : inGateSlot(stoppable, found.commit, (slot) => judge(slot, found.tree, stop)).catch(ifFailed),
  );
  // Its turn may never ask for them.
  results.catch(() => {});
  const end = async (): Promise<void> => {
    over.abort();
    await results.catch(() => {});
  };
  return {
    predicted: () => guess.then(() => {}),
    take: async (tree) => {
      if ((await guess)?.tree === tree) return results;
      await end();
      return null;
    },
    end,
  };

  async function guessCandidate(): Promise<{ commit: string; tree: string } | null> {
    const before = await train.expectedBefore(session_id);
    if (before === null || over.signal.aborted) return null;
    return holdingOffGc(repository, async () => {
      const { tree, conflicts } = await mergeWork(repository, work, before);
      if (conflicts.length > 0) return null;
      const message = 'What the trunk will probably be\n';
      const commit = await plainCommit(repository, { tree, parents: [before], message });
      await holdCommit(repository, candidateRef(session_id), commit);
      train.expect(session_id, commit);
      return { commit, tree };
    });
  }
}

/** The session's turn runs the gates then, and reports what fails. */
function ifFailed(error: unknown): null {
  if (error instanceof GateStopped || error instanceof MachineFailed) return null;
  throw error;
}
