// Runs the hooks of the repository as git would for this commit, and takes what they say as the word of a gate.

import { readFile, rm, writeFile } from 'node:fs/promises';
import type { GateConfig } from '../../domain/config.ts';
import type { GateResult, GateStep } from '../../domain/sessions/gate.ts';
import { entriesOnto, type Step } from '../commits/land-entries.ts';
import type { Proven } from '../commits/task-commit.ts';
import { git, headCommit, treeOfCommit } from '../git/git.ts';
import { findGit } from '../git/git-directory.ts';
import { holdingOffGc } from '../git/hold-off-gc.ts';
import { newIndexIn, type Place, scratchOf, treeWith } from '../git/own-git.ts';
import { pathText } from '../git/raw-path.ts';
import { holdTree, provenRef } from '../git/refs.ts';
import { changesBetween, entryOf } from '../git/tree-changes.ts';
import { takeTree } from '../git/work-tree.ts';
import { withPersonsMoves } from '../work/persons-changes.ts';
import { readBase, type SessionBase, writeBase } from '../work/session-base.ts';
import { type GateRun, runGate } from './gates.ts';
import { type HookName, type Hooks, shownPath } from './hooks.ts';

export type HookRun = Omit<GateRun, 'root' | 'logFile'> & {
  place: Place;
  hooks: Hooks;
  /** Names of variables that it gets besides those that every gate gets. */
  names: readonly string[];
  logFile(name: string): string;
  onGate?: ((step: GateStep) => void) | undefined;
};

/** The tree of the commit to be; null where there is nothing to commit. */
export async function treeOfStep(place: Place, step: Step): Promise<string | null> {
  const head = await headCommit(place);
  const onto = await treeOfCommit(place, head);
  const tree = await treeWith(place, onto, await entriesOnto(place, head === null ? null : onto, [step]));
  return tree === onto ? null : tree;
}

/** With an index that holds the commit to be, as the hook expects it. Null where there is no such hook. */
export async function runPreCommit(run: HookRun, tree: string): Promise<GateResult | null> {
  const { place } = run;
  const index = await newIndexIn(scratchOf(place));
  try {
    await git({ ...place, overrides: { GIT_INDEX_FILE: index } }, ['read-tree', tree]);
    return await runHook(run, 'pre-commit', [], [`GIT_INDEX_FILE=${index}`]);
  } finally {
    await rm(index, { force: true });
  }
}

/** The hook may change the message; trailers that it drops are put back. */
export async function runCommitMsg(
  run: HookRun,
  message: string,
): Promise<{ result: GateResult | null; message: string }> {
  const file = await newIndexIn(scratchOf(run.place));
  try {
    await writeFile(file, message, { mode: 0o600 });
    const result = await runHook(run, 'commit-msg', [file], []);
    const written = new Set(message.split('\n'));
    // As git does with comments; a line of the message that looks like one was there before.
    const isKept = (line: string): boolean => !line.startsWith('#') || written.has(line);
    const edited = (await readFile(file, 'utf8')).split('\n').filter(isKept).join('\n').trim();
    const trailers = message.trim().split('\n\n').at(-1) ?? '';
    const isWhole = trailers.split('\n').every((line) => edited.split('\n').includes(line));
    if (result === null || edited === message.trim()) return { result, message };
    return { result, message: isWhole ? `${edited}\n` : `${edited}\n\n${trailers}\n` };
  } finally {
    await rm(file, { force: true });
  }
}

async function runHook(
  { place, hooks, names, logFile, onGate, ...run }: HookRun,
  name: HookName,
  args: readonly string[],
  variables: readonly string[],
): Promise<GateResult | null> {
  const hook = hooks.found.find((found) => found.name === name);
  const root = findGit(place.root)?.worktree ?? place.root;
  if (hook === undefined) return null;
  const gate: GateConfig = {
    name: `hook ${name}`,
    command: ['env', 'GIT_EDITOR=:', ...variables, hook.file, ...args],
    required: true,
    timeout_seconds: 600,
    max_output_mb: 16,
    expect: null,
    env: names,
  };
  const step = { name: gate.name, number: hooks.found.indexOf(hook) + 1, of: hooks.found.length };
  onGate?.({ ...step, ended: null });
  const result = await runGate(gate, { ...run, root, logFile: logFile(name) });
  onGate?.({ ...step, ended: result });
  return { ...result, command: shownPath(root, hook.file) };
}
// What the hooks of the repository say of a task's work before the gates are asked. A hook may mend files, as formatters do.

export type Hooked = { judged: Proven; results: GateResult[]; message: string | null };

type Subject = { session_id: string; task_id: number };

export async function proveHooks(
  run: HookRun,
  subject: Subject,
  given: Proven,
  /** Null where this task makes no commit of its own. */
  message: string | null,
  onChanged: (files: readonly string[]) => void,
): Promise<Hooked> {
  const { place } = run;
  let judged = given;
  const isAsked = run.hooks.found.some(({ name }) => name === 'pre-commit');
  /** Null where there is nothing to commit. */
  const check = async (): Promise<{ result: GateResult | null; isMended: boolean } | null> => {
    const base = await readBase(place, subject.session_id);
    if (base === null) return null;
    const from = await withPersonsMoves(place, subject.session_id, base.tree, judged.head);
    const tree = await treeOfStep(place, { from, to: judged.tree });
    if (tree === null || !isAsked) return tree === null ? null : { result: null, isMended: false };
    const result = await runPreCommit(run, tree);
    const mended = await holdingOffGc(place, () => takeMended(place, subject, base, judged, onChanged));
    const isMended = mended.tree !== judged.tree;
    judged = mended;
    return { result, isMended };
  };
  const first = await check();
  // As a person does whose commit a formatter refuses: what it has mended is tried once more.
  const checked = first?.isMended && first.result?.passed === false ? await check() : first;
  if (checked === null) return { judged, results: [], message };
  const results = checked.result === null ? [] : [checked.result];
  if (message === null || checked.result?.passed === false) return { judged, results, message };
  const told = await runCommitMsg(run, message);
  if (told.result !== null) results.push(told.result);
  return { judged, results, message: told.message };
}

/** What the hook changed in the task's own files is the task's; the rest lies there as if it had before. */
async function takeMended(
  place: Place,
  subject: Subject,
  base: SessionBase,
  judged: Proven,
  onChanged: (files: readonly string[]) => void,
): Promise<Proven> {
  const now = await takeTree(place, base.tree);
  if (now === null || now.tree === judged.tree) return judged;
  const own = new Set((await changesBetween(place, base.tree, judged.tree)).map(({ path }) => path));
  const others = (await changesBetween(place, judged.tree, now.tree)).filter(({ path }) => !own.has(path));
  if (others.length > 0) onChanged(others.map(({ path }) => pathText(path)));
  const tree = await treeWith(place, base.tree, others.map(entryOf).join(''));
  await holdTree(place, provenRef(subject.task_id), now.tree);
  await writeBase(place, subject, { ...base, tree, left: now.tree });
  return { ...judged, tree: now.tree };
}
