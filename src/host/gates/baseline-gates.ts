// What the gates say of the work tree as it is, before any session has touched it.
import { join } from 'node:path';
import type { GateConfig } from '../../domain/config.ts';
import type { GateResult, KnownGate } from '../../domain/sessions/gate.ts';
import { adoptSettings, type Place } from '../git/own-git.ts';
import { takeTree } from '../git/work-tree.ts';
import type { Marker } from '../processes/reap.ts';
import { isWorkInProgress } from '../work/work-in-progress.ts';
import { GateKilled, type GatesRun, resultOf, runGates } from './gates.ts';
import { type GateListeners, watchGates } from './watch-gates.ts';

/** In the place of a session: none has begun yet. */
export const UNCLAIMED = '';

const BASELINE_OF = 'RALPH_BASELINE_OF';

const ownerOf = ({ stateDir }: Pick<Place, 'stateDir'>, run_id: number): string => `${stateDir}#${run_id}`;

/** Carried by every gate that a run starts before its first session: it lives on when Ralph is killed. */
export const markerOfBaseline = (place: Pick<Place, 'stateDir'>, run_id: number): Marker =>
  `${BASELINE_OF}=${ownerOf(place, run_id)}`;

export type BaselineRun = GateListeners & {
  run_id: number;
  known(tree_hash: string): Promise<readonly KnownGate[]>;
  stop?: AbortSignal | undefined;
};

/** Null where nobody can tell: without git, or where unfinished work of a task lies in the tree. */
export async function runBaselineGates(
  place: Place,
  gates: readonly GateConfig[],
  { run_id, known, stop, ...listeners }: BaselineRun,
): Promise<KnownGate[] | null> {
  await adoptSettings(place);
  const tree = (await takeTree(place))?.tree ?? null;
  if (tree === null || (await isWorkInProgress(place, tree))) return null;
  const before = await known(tree);
  // What failed is run again: what it lacked may lie outside of the tree, and be there by now.
  const unproven = gates.filter((gate) => resultOf(gate, before, true) === undefined);
  const ran = await runEach(unproven, {
    root: place.root,
    env: { ...place.env, [BASELINE_OF]: ownerOf(place, run_id) },
    tree_hash: tree,
    stop,
    said: [],
    before: [],
    logFolder: join(place.stateDir, 'baseline'),
    onGate: watchGates(place, gates, tree, listeners),
  });
  const passed = gates.flatMap((gate) => resultOf(gate, before, true) ?? []);
  // What the gates themselves left in the tree is nobody's work: they say the same of the tree with it.
  const after = (await takeTree(place))?.tree ?? tree;
  const results = [...passed, ...ran].map((result) => ({ ...result, session_id: UNCLAIMED, baseline: true }));
  return [...new Set([tree, after])].flatMap((tree_hash) =>
    results.map((result) => ({ ...result, tree_hash })),
  );
}

/** What ended a gate from outside says nothing of the tree: that one is neither red nor green. */
export async function runEach(gates: readonly GateConfig[], run: GatesRun): Promise<GateResult[]> {
  const results: GateResult[] = [];
  for (const gate of gates)
    try {
      results.push(...(await runGates([gate], run)));
    } catch (error) {
      if (!(error instanceof GateKilled)) throw error;
    }
  return results;
}

/**
 * A gate that a person accepted as red refutes nobody's work while it stays red. Where nobody knows how it was before the work,
 * because a person or a gate has changed the tree since, it counts as red.
 */
export const unlessAccepted =
  (accepted: readonly string[], before: readonly GateResult[]) =>
  (gate: GateResult): GateResult => {
    const isKnown = before.some(({ definition }) => definition === gate.definition);
    const mayBeRed = accepted.includes(gate.name) && (gate.was_red || !isKnown);
    return mayBeRed ? { ...gate, required: false } : gate;
  };
