// Reports gates while they run: which one, and which files it changed.
import type { GateConfig } from '../../domain/config.ts';
import type { GateResult, GateStep } from '../../domain/sessions/gate.ts';
import type { Place } from '../git/own-git.ts';
import { pathText } from '../git/raw-path.ts';
import { changesBetween } from '../git/tree-changes.ts';
import { isAsLastTaken, takeTree } from '../git/work-tree.ts';

export type GateChanges = { gate: string; files: readonly string[] };

export type GateListeners = {
  onGate?(step: GateStep): void;
  /** Files that changed while a gate ran. They are in no commit, so a person should know. */
  onGateChanges?(changes: GateChanges): void;
};

/** `tree`: the work tree before the first gate; null without git. */
export function watchGates(
  place: Place,
  gates: readonly GateConfig[],
  tree: string | null,
  { onGate, onGateChanges }: GateListeners,
): (gate: GateConfig, ended: GateResult | null) => Promise<void> {
  let before = tree;
  return async (gate, ended) => {
    onGate?.({ name: gate.name, number: gates.indexOf(gate) + 1, of: gates.length, ended });
    if (ended === null || (await isAsLastTaken(place))) return;
    const now = (await takeTree(place))?.tree ?? null;
    const changes = before === null || now === null ? [] : await changesBetween(place, before, now);
    before = now;
    if (changes.length > 0)
      onGateChanges?.({ gate: gate.name, files: changes.map(({ path }) => pathText(path)) });
  };
}
