// Reports gates while they run: which one, and which files it changed.
import type { GateConfig } from '../../domain/config.ts';
import type { GateStep } from '../../domain/sessions/gate.ts';
import type { Place } from '../git/own-git.ts';
import { pathText } from '../git/raw-path.ts';
import { changesBetween } from '../git/tree-changes.ts';
import { isAsLastTaken, takeTree } from '../git/work-tree.ts';
import type { GatesRun } from './gates.ts';

type GateChanges = { gate: string; files: readonly string[] };

export type GateListeners = {
  onGate?(step: GateStep): void;
  /** Files that changed while a gate ran. They are in no commit, so a person should know. */
  onGateChanges?(changes: GateChanges): void;
  /** A gate was red, and then passed on the same files. */
  onFlaky?(gate: string): void | Promise<void>;
};

/** `tree`: the work tree before the first gate; null without git. */
export function watchGates(
  place: Place,
  gates: readonly GateConfig[],
  tree: string | null,
  { onGate, onGateChanges, onFlaky }: GateListeners,
): Required<Pick<GatesRun, 'onGate' | 'areFilesUnchanged'>> & Pick<GatesRun, 'onFlaky'> {
  let before = tree;
  return {
    onFlaky,
    onGate: async (gate, ended) => {
      onGate?.({ name: gate.name, number: gates.indexOf(gate) + 1, of: gates.length, ended });
      if (ended === null || (await isAsLastTaken(place))) return;
      const now = (await takeTree(place))?.tree ?? null;
      const changes = before === null || now === null ? [] : await changesBetween(place, before, now);
      before = now;
      if (changes.length > 0)
        onGateChanges?.({ gate: gate.name, files: changes.map(({ path }) => pathText(path)) });
    },
    // Ralph cannot tell without git.
    areFilesUnchanged: async () => before !== null && (await takeTree(place))?.tree === before,
  };
}
