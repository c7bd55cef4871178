// Runs gates in a slot of their own, which no agent has worked in: what an agent left beside its tree proves nothing.
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../../domain/config.ts';
import { failedRequired, type GateResult } from '../../domain/sessions/gate.ts';
import { runEach } from '../gates/baseline-gates.ts';
import { runGates } from '../gates/gates.ts';
import type { GateListeners } from '../gates/watch-gates.ts';
import { git, treeOfCommit } from '../git/git.ts';
import { ownGit } from '../git/own-git.ts';
import { pathText } from '../git/raw-path.ts';
import { changesBetween } from '../git/tree-changes.ts';
import type { Environment } from '../processes/spawn.ts';
import { insideSlot } from '../sandbox/inside.ts';
import { fillSlot, takeSlot } from '../slots/fill-slot.ts';
import { prepareSlot, type SlotRules } from '../slots/prepare-slot.ts';
import { prepareForGates } from '../slots/prepare-work.ts';
import { type Slot, type SlotPlace, slotEnvironment } from '../slots/slot.ts';
import type { SlotHead } from '../slots/slot-git.ts';
import { homeEnvironment } from '../slots/slot-home.ts';
import { acquireGateSlot, releaseSlot } from '../slots/slot-pool.ts';
import type { HookGround } from './commit-hooks.ts';

export type GateGround = {
  place: SlotPlace;
  rules: SlotRules;
  gatesAtOnce: number;
  /** Whether these gates leave one slot free for work whose turn it is. */
  isSpeculative?: boolean;
  trunk: SlotHead['trunk'];
  /** The environment of gates, apart from what their slot adds. */
  env: Environment;
  /** Told every result: those for a merge or for a progress entry belong to no session that could store them. */
  onResults?(tree: string, results: readonly GateResult[]): void;
};

/** By default half of the cores: agents need the others. */
export const gatesAtOnce = ({ gates_at_once }: Pick<Config['slots'], 'gates_at_once'>): number =>
  gates_at_once ?? Math.max(1, Math.floor(availableParallelism() / 2));

/** Works in a slot for gates that holds this commit. */
export const inGateSlot = <T>(
  ground: GateGround,
  commit: string,
  work: (slot: Slot) => Promise<T>,
): Promise<T> =>
  withGateSlot(ground, async (slot) => {
    const head = { commit, branch: null, trunk: ground.trunk };
    await prepareSlot(slot, { head, tree: commit }, { ...ground.rules, env: ground.env });
    return work(slot);
  });

/** Judges work there. No gate can run if the work is what the setup fails with: then the setup is the one that failed. */
export const judgeInGateSlot = (
  ground: GateGround,
  commits: WorkCommits,
  judge: (slot: Slot) => Promise<GateResult[]>,
): Promise<GateResult[]> => inGateSlotWithWork(ground, commits, judge, (failed) => [failed]);

type WorkCommits = { commit: string; trunkTip: string };

/** `refute`: called instead if the setup fails with the work, and not without it. */
export const inGateSlotWithWork = <T>(
  ground: GateGround,
  { commit, trunkTip }: WorkCommits,
  work: (slot: Slot) => Promise<T>,
  refute: (failed: GateResult) => T,
): Promise<T> =>
  withGateSlot(ground, async (slot) => {
    const head = { commit, branch: null, trunk: ground.trunk };
    const tree = await treeOfCommit(slot.repository, commit);
    const failed = await prepareForGates(
      slot,
      { head, tree, trunkTip },
      { ...ground.rules, env: ground.env },
    );
    if (failed === null) return work(slot);
    // What failed comes first: a person is shown that line.
    const tail = `${withPlainPaths(slot, failed.tail)}\n${OF_THE_WORK}`.trim();
    // The next setup of this slot writes its log to the same file.
    return refute({ ...failed, tree_hash: tree, tail, log: null });
  });

const OF_THE_WORK =
  '(Ralph runs this setup before the gates, in a checkout of its own. It passes without this work: mend the files that it reads.)';

async function withGateSlot<T>(
  { place, rules, gatesAtOnce: count, isSpeculative = false }: GateGround,
  work: (slot: Slot) => Promise<T>,
): Promise<T> {
  const slot = await acquireGateSlot(place, count, rules.stop, isSpeculative ? 2 : 1);
  try {
    return await work(slot);
  } finally {
    await releaseSlot(slot);
  }
}

export type SlotGateRun = {
  tree: string;
  gates: Config['gates'];
  logFolder: string;
  /** A variable that marks the processes of these gates. */
  marker: Readonly<Record<string, string>>;
  sessionResults: readonly GateResult[];
  resultsBefore: readonly GateResult[];
  stop?: AbortSignal | undefined;
  listeners: GateListeners;
  /** Gates that fail do not keep later ones from running, and a killed one counts for nothing. */
  isBaseline?: boolean;
};

/** The environment of what runs in a slot for gates. */
export const environmentIn = ({ env, rules }: GateGround, slot: Slot): Environment => ({
  ...homeEnvironment(slot, env),
  ...slotEnvironment(slot, rules.slots.env),
});

/** Every gate on exactly this tree. */
export async function runGatesIn(
  ground: GateGround,
  slot: Slot,
  { tree, gates, logFolder, marker, sessionResults, resultsBefore, stop, listeners, isBaseline }: SlotGateRun,
): Promise<GateResult[]> {
  const run = {
    root: slot.root,
    env: { ...environmentIn(ground, slot), ...marker },
    tree_hash: tree,
    stop,
    enclosure: ground.rules.sandbox?.enclose(insideSlot(slot, 'gate')),
    sessionResults,
    resultsBefore,
    logFolder,
    onFlaky: listeners.onFlaky,
    areFilesUnchanged: async (gate: Config['gates'][number]) => {
      await restoreFiles(slot, tree, gate.name, listeners);
      return true;
    },
    onGate: async (gate: Config['gates'][number], ended: GateResult | null) => {
      listeners.onGate?.({ name: gate.name, number: gates.indexOf(gate) + 1, of: gates.length, ended });
      if (ended !== null) await restoreFiles(slot, tree, gate.name, listeners);
    },
  };
  const results = await (isBaseline === true ? runEach(gates, run) : runGates(gates, run));
  const shown = results.map((result) => ({ ...result, tail: withPlainPaths(slot, result.tail) }));
  ground.onResults?.(tree, shown);
  return shown;
}

/** The agent that reads a failure finds the same files in another folder. */
export const withPlainPaths = ({ root, tree }: Slot, text: string): string =>
  text.replaceAll(`${root}/`, '').replaceAll(`${tree}/`, '').replaceAll(root, '.');

/** What a gate changes in tracked files would be judged by the next gate, and is in no commit. */
async function restoreFiles(
  slot: Slot,
  tree: string,
  gate: string,
  { onGateChanges }: GateListeners,
): Promise<void> {
  const own = await ownGit(slot.repository, slot.index, slot.tree);
  const { stdout } = await git(own, ['ls-files', '-z', '--others', '--modified', '--exclude-standard']);
  if (stdout === '') return;
  const { tree: now } = await takeSlot(slot, tree, []);
  const files = (await changesBetween(slot.repository, tree, now)).map(({ path }) => pathText(path));
  if (files.length > 0) onGateChanges?.({ gate, files });
  await git(own, ['read-tree', '--reset', '-u', tree]);
  await git(own, ['clean', '-ffdq']);
}

/** The slot as the place of hooks. `hold`: makes a commit that a ref holds: it is HEAD of the slot while the gates run. */
export const slotHookGround = (
  ground: GateGround,
  slot: Slot,
  marker: Readonly<Record<string, string>>,
  hold: HookGround['hold'],
): HookGround => ({
  repository: slot.repository,
  place: { ...slot.repository, root: slot.root },
  env: { ...environmentIn(ground, slot), ...marker },
  enclosure: ground.rules.sandbox?.enclose(insideSlot(slot, 'gate')),
  take: async (tree) => (await takeSlot(slot, tree, ground.rules.included)).tree,
  fill: async (commit, tree) => {
    const head = { commit, branch: null, trunk: ground.trunk };
    await fillSlot(slot, { head, tree, isClean: false });
  },
  hold,
});

export const isRed = (results: readonly GateResult[]): boolean => failedRequired(results).length > 0;

export const gateLogs = (folder: string): string => join(folder, 'gates');

export const markerVariable = (marker: string): Record<string, string> => {
  const at = marker.indexOf('=');
  return { [marker.slice(0, at)]: marker.slice(at + 1) };
};
