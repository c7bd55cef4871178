// Runs the repository's commit hooks on the tree that would be committed, where the gates then judge it.
import { join } from 'node:path';
import type { GateResult } from '../../domain/sessions/gate.ts';
import type { Hooks } from '../gates/hooks.ts';
import { type HookRun, runCommitMsg, runPreCommit } from '../gates/run-hooks.ts';
import type { GateListeners } from '../gates/watch-gates.ts';
import { treeOfCommit } from '../git/git.ts';
import { holdingOffGc } from '../git/hold-off-gc.ts';
import { type Place, treeWith } from '../git/own-git.ts';
import { pathText } from '../git/raw-path.ts';
import { changesBetween, formatEntry } from '../git/tree-changes.ts';
import type { Environment } from '../processes/spawn.ts';
import type { Enclosure } from '../sandbox/sandbox.ts';
import type { Candidate } from './candidate.ts';

/** The files on which the hooks run. */
export type HookGround = {
  repository: Place;
  /** Where the hooks run. */
  place: Place;
  env: Environment;
  /** Of the hooks; without it they run as they are. */
  enclosure?: Enclosure | null | undefined;
  /** The files as a tree. `tree`: as they were before. */
  take(tree: string): Promise<string>;
  /** Puts a tree there, on top of a commit. */
  fill(commit: string, tree: string): Promise<void>;
  /** Makes a commit of the tree that a ref holds. */
  hold(tree: string): Promise<string>;
};

type CommitHookInput = GateListeners & {
  hooks: Hooks | null;
  /** Names of variables that the hooks get. */
  names: readonly string[];
  folder: string;
  candidate: Candidate;
  /** Null if the work gets no commit of its own. */
  message: string | null;
  stop?: AbortSignal | undefined;
};

type HookedCandidate = { tree: string; message: string | null; results: GateResult[] };

/** A hook may change files of the work, as formatters do: the gates then judge the changed tree. */
export async function runCommitHooks(
  { repository, place, env, enclosure, take, fill, hold }: HookGround,
  { hooks, names, folder, candidate, message, stop, onGate, onGateChanges }: CommitHookInput,
): Promise<HookedCandidate> {
  const before = await treeOfCommit(repository, candidate.tip);
  // Without a change there is nothing that a hook could judge.
  if (hooks === null || hooks.found.length === 0 || candidate.tree === before)
    return { tree: candidate.tree, message, results: [] };
  const run: HookRun = {
    place,
    hooks,
    names,
    env,
    tree_hash: candidate.tree,
    stop,
    enclosure,
    logFile: (name) => join(folder, 'gates', `hook-${name}.log`),
    onGate,
  };
  const own = new Set((await changesBetween(repository, before, candidate.tree)).map(({ path }) => path));
  const check = async (tree: string): Promise<{ result: GateResult | null; tree: string }> => {
    const result = await runPreCommit(run, tree);
    return { result, tree: await holdingOffGc(repository, () => mend(tree)) };
  };
  const mend = async (tree: string): Promise<string> => {
    const changes = await changesBetween(repository, tree, await take(tree));
    const others = changes.filter(({ path }) => !own.has(path)).map(({ path }) => pathText(path));
    if (others.length > 0) onGateChanges?.({ gate: 'hook pre-commit', files: others });
    const mended = changes.filter(({ path }) => own.has(path)).map(formatEntry);
    if (changes.length === 0) return tree;
    const next = await treeWith(repository, tree, mended.join(''));
    await hold(next);
    await fill(candidate.tip, next);
    return next;
  };
  // A hook looks at what its index adds to HEAD.
  await fill(candidate.tip, candidate.tree);
  const first = await check(candidate.tree);
  // If a formatter refused the commit and changed files, try once more, as a person would.
  const checked =
    first.result?.passed === false && first.tree !== candidate.tree ? await check(first.tree) : first;
  const results = checked.result === null ? [] : [checked.result];
  if (checked.result?.passed === false || message === null) return { tree: checked.tree, message, results };
  const checkedMessage = await runCommitMsg(run, message);
  await fill(await hold(checked.tree), checked.tree);
  return {
    tree: checked.tree,
    message: checkedMessage.message,
    results: [...results, ...(checkedMessage.result === null ? [] : [checkedMessage.result])],
  };
}
