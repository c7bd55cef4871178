// Runs the repository's commit hooks on a candidate, in the slot where the gates judge it.
import { join } from 'node:path';
import type { Config } from '../../domain/config.ts';
import type { GateResult } from '../../domain/sessions/gate.ts';
import type { Hooks } from '../gates/hooks.ts';
import { type HookRun, runCommitMsg, runPreCommit } from '../gates/run-hooks.ts';
import type { GateListeners } from '../gates/watch-gates.ts';
import { treeOfCommit } from '../git/git.ts';
import { holdingOffGc } from '../git/hold-off-gc.ts';
import { treeWith } from '../git/own-git.ts';
import { pathText } from '../git/raw-path.ts';
import { changesBetween, formatEntry } from '../git/tree-changes.ts';
import { insideSlot } from '../sandbox/inside.ts';
import { fillSlot, takeSlot } from '../slots/fill-slot.ts';
import { type Slot, slotEnvironment } from '../slots/slot.ts';
import type { Candidate } from './candidate.ts';
import type { GateGround } from './slot-gates.ts';

export type SlotHookInput = GateListeners & {
  config: Pick<Config, 'env'>;
  hooks: Hooks | null;
  marker: Readonly<Record<string, string>>;
  folder: string;
  candidate: Candidate;
  message: string;
  stop?: AbortSignal;
  /** Makes a commit of the tree that a ref holds: it is HEAD of the slot while the gates run. */
  hold(tree: string): Promise<string>;
};

export type HookedCandidate = { tree: string; message: string; results: GateResult[] };

/** A hook may change files of the work, as formatters do: the changed tree is then the one that the gates judge. */
export async function runSlotHooks(
  ground: GateGround,
  slot: Slot,
  { hooks, config, marker, folder, candidate, message, stop, hold, onGate, onGateChanges }: SlotHookInput,
): Promise<HookedCandidate> {
  const repository = slot.repository;
  const before = await treeOfCommit(repository, candidate.tip);
  // Without a change there is nothing that a hook could judge.
  if (hooks === null || hooks.found.length === 0 || candidate.tree === before)
    return { tree: candidate.tree, message, results: [] };
  const place = { ...repository, root: slot.root };
  const run: HookRun = {
    place,
    hooks,
    names: config.env,
    env: { ...ground.env, ...slotEnvironment(slot, ground.rules.slots.env), ...marker },
    tree_hash: candidate.tree,
    stop,
    enclosure: ground.rules.sandbox?.enclose(insideSlot(slot, 'gate')),
    logFile: (name) => join(folder, 'gates', `hook-${name}.log`),
    onGate,
  };
  const own = new Set((await changesBetween(repository, before, candidate.tree)).map(({ path }) => path));
  const fill = async (commit: string, tree: string): Promise<void> => {
    const head = { commit, branch: null, upstream: ground.branch };
    await fillSlot(slot, { head, tree, isClean: false });
  };
  const check = async (tree: string): Promise<{ result: GateResult | null; tree: string }> => {
    const result = await runPreCommit(run, tree);
    return holdingOffGc(repository, () => mend(tree, result));
  };
  const mend = async (
    tree: string,
    result: GateResult | null,
  ): Promise<{ result: GateResult | null; tree: string }> => {
    const { tree: now } = await takeSlot(slot, tree, ground.rules.included);
    const changes = await changesBetween(repository, tree, now);
    const others = changes.filter(({ path }) => !own.has(path)).map(({ path }) => pathText(path));
    if (others.length > 0) onGateChanges?.({ gate: 'hook pre-commit', files: others });
    const mended = changes.filter(({ path }) => own.has(path)).map(formatEntry);
    if (changes.length === 0) return { result, tree };
    const next = await treeWith(repository, tree, mended.join(''));
    await hold(next);
    await fill(candidate.tip, next);
    return { result, tree: next };
  };
  // A hook looks at what its index adds to HEAD.
  await fill(candidate.tip, candidate.tree);
  const first = await check(candidate.tree);
  // If a formatter refused the commit and changed files, try once more, as a person would.
  const checked =
    first.result?.passed === false && first.tree !== candidate.tree ? await check(first.tree) : first;
  const results = checked.result === null ? [] : [checked.result];
  if (checked.result?.passed === false) return { tree: checked.tree, message, results };
  const checkedMessage = await runCommitMsg(run, message);
  const hooked = { tree: checked.tree, message: checkedMessage.message };
  await fill(await hold(hooked.tree), hooked.tree);
  return {
    ...hooked,
    results: [...results, ...(checkedMessage.result === null ? [] : [checkedMessage.result])],
  };
}
