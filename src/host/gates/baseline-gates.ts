// Runs the gates on the work tree before the first session.
import { join } from 'node:path';
import type { GateConfig } from '../../domain/config.ts';
import type { GateResult, KnownGate } from '../../domain/sessions/gate.ts';
import { adoptSettings, type Place } from '../git/own-git.ts';
import { takeTree } from '../git/work-tree.ts';
import type { Marker } from '../processes/reap.ts';
import type { Enclosure } from '../sandbox/sandbox.ts';
import { findResult, GateKilled, type GatesRun, runGates } from './gates.ts';
import { type GateListeners, watchGates } from './watch-gates.ts';

/** Stands for a session id: no session has begun yet. */
export const UNCLAIMED = '';

const BASELINE_OF = 'RALPH_BASELINE_OF';

const baselineOwner = ({ stateDir }: Pick<Place, 'stateDir'>, run_id: number): string =>
  `${stateDir}#${run_id}`;

/** Every gate before the first session carries it in its environment: a gate goes on when Ralph is killed. */
export const baselineMarker = (place: Pick<Place, 'stateDir'>, run_id: number): Marker =>
  `${BASELINE_OF}=${baselineOwner(place, run_id)}`;

type BaselineRun = GateListeners & {
  run_id: number;
  knownGates(tree_hash: string): Promise<readonly KnownGate[]>;
  stop?: AbortSignal | undefined;
  enclosure?: Enclosure | null;
};

/** Null without git: Ralph cannot tell whether the files are the same later. */
export async function runBaselineGates(
  place: Place,
  gates: readonly GateConfig[],
  { run_id, knownGates, stop, enclosure, ...listeners }: BaselineRun,
): Promise<KnownGate[] | null> {
  await adoptSettings(place);
  const tree = (await takeTree(place))?.tree ?? null;
  if (tree === null) return null;
  const before = await knownGates(tree);
  // Run failed gates again: what they lacked may be outside the tree, and present by now.
  const unproven = gates.filter((gate) => findResult(gate, before, true) === undefined);
  const ran = await runEach(unproven, {
    root: place.root,
    env: { ...place.env, [BASELINE_OF]: baselineOwner(place, run_id) },
    tree_hash: tree,
    stop,
    enclosure,
    sessionResults: [],
    resultsBefore: [],
    logFolder: join(place.stateDir, 'baseline'),
    ...watchGates(place, gates, tree, listeners),
  });
  const passed = gates.flatMap((gate) => findResult(gate, before, true) ?? []);
  // Files that the gates left are no task's work: the results hold for the tree with them as well.
  const after = (await takeTree(place))?.tree ?? tree;
  const results = [...passed, ...ran].map((result) => ({ ...result, session_id: UNCLAIMED, baseline: true }));
  return [...new Set([tree, after])].flatMap((tree_hash) =>
    results.map((result) => ({ ...result, tree_hash })),
  );
}

/** A gate that was killed from outside tells nothing about the tree: it is neither red nor green. */
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
 * A gate that a person accepted as red refutes no work while it stays red. It counts as red if Ralph does not know its result
 * before the work, because a person or a gate has changed the tree since.
 */
export const unlessAccepted =
  (accepted: readonly string[], before: readonly GateResult[]) =>
  (gate: GateResult): GateResult => {
    const isKnown = before.some(({ definition }) => definition === gate.definition);
    const mayBeRed = accepted.includes(gate.name) && (gate.was_red || !isKnown);
    return mayBeRed ? { ...gate, required: false } : gate;
  };
