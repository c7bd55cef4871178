// Runs the hooks of the repository as git would for this commit, and treats their results like those of gates.

import { readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { GateConfig } from '../../domain/config.ts';
import type { GateResult, GateStep } from '../../domain/sessions/gate.ts';
import { entriesOnto, type Step } from '../commits/land-entries.ts';
import type { Proven } from '../commits/task-commit.ts';
import { git, headCommit, treeOfCommit } from '../git/git.ts';
import { findGit } from '../git/git-directory.ts';
import { holdingOffGc } from '../git/hold-off-gc.ts';
import { hookScratch, newScratchFile, type Place, treeWith } from '../git/own-git.ts';
import { pathText } from '../git/raw-path.ts';
import { holdTree, provenRef } from '../git/refs.ts';
import { changesBetween, formatEntry } from '../git/tree-changes.ts';
import { takeTree } from '../git/work-tree.ts';
import type { Mount } from '../sandbox/bwrap.ts';
import { isBelow } from '../sandbox/guarded.ts';
import { withPersonsMoves } from '../work/persons-changes.ts';
import { readBase, type SessionBase, writeBase } from '../work/session-base.ts';
import { type GateRun, runGate } from './gates.ts';
import { type HookName, type Hooks, shownPath, wholeFolder } from './hooks.ts';

export type HookRun = Omit<GateRun, 'root' | 'logFile'> & {
  place: Place;
  hooks: Hooks;
  /** Names of variables that the hook gets besides those of every gate. */
  names: readonly string[];
  logFile(name: string): string;
  onGate?: ((step: GateStep) => void) | undefined;
};

/** The tree of the future commit; null if there is nothing to commit. */
export async function stepTree(place: Place, step: Step): Promise<string | null> {
  const head = await headCommit(place);
  const onto = await treeOfCommit(place, head);
  const tree = await treeWith(place, onto, await entriesOnto(place, head === null ? null : onto, [step]));
  return tree === onto ? null : tree;
}

/** Runs the hook with an index that holds the future commit, as it expects. Null if there is no such hook. */
export async function runPreCommit(run: HookRun, tree: string): Promise<GateResult | null> {
  const { place } = run;
  const index = await newScratchFile(hookScratch(place));
  try {
    await git({ ...place, overrides: { GIT_INDEX_FILE: index } }, ['read-tree', tree]);
    return await runHook(run, 'pre-commit', [], [`GIT_INDEX_FILE=${index}`]);
  } finally {
    await rm(index, { force: true });
  }
}

/** The hook may change the message; Ralph adds trailers again that it drops. */
export async function runCommitMsg(
  run: HookRun,
  message: string,
): Promise<{ result: GateResult | null; message: string }> {
  const file = await newScratchFile(hookScratch(run.place));
  try {
    await writeFile(file, message, { mode: 0o600 });
    const result = await runHook(run, 'commit-msg', [file], []);
    const written = new Set(message.split('\n'));
    // Drop comments like git, but keep lines of the original message that look like one.
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
  const mounts: Mount[] = [
    { kind: 'write', path: hookScratch(place) },
    ...(isBelow(root, hook.file) ? [] : [{ kind: 'read', path: wholeFolder(dirname(hook.file)) } as const]),
  ];
  const result = await runGate(gate, { ...run, root, logFile: logFile(name), mounts });
  onGate?.({ ...step, ended: result });
  return { ...result, command: shownPath(root, hook.file) };
}

export type HookVerdict = { judged: Proven; results: GateResult[]; message: string | null };

type Subject = { session_id: string; task_id: number };

/** Runs the hooks on a task's work before the gates. A hook may change files, as formatters do. */
export async function proveHooks(
  run: HookRun,
  subject: Subject,
  proven: Proven,
  /** Null if this task makes no commit of its own. */
  message: string | null,
  onChanged: (files: readonly string[]) => void,
): Promise<HookVerdict> {
  const { place } = run;
  let judged = proven;
  const isAsked = run.hooks.found.some(({ name }) => name === 'pre-commit');
  /** Null if there is nothing to commit. */
  const check = async (): Promise<{ result: GateResult | null; isMended: boolean } | null> => {
    const base = await readBase(place, subject.session_id);
    if (base === null) return null;
    const from = await withPersonsMoves(place, subject.session_id, base.tree, judged.head);
    const tree = await stepTree(place, { from, to: judged.tree });
    if (tree === null || !isAsked) return tree === null ? null : { result: null, isMended: false };
    const result = await runPreCommit(run, tree);
    const mended = await holdingOffGc(place, () => takeMended(place, subject, base, judged, onChanged));
    const isMended = mended.tree !== judged.tree;
    judged = mended;
    return { result, isMended };
  };
  const first = await check();
  // If a formatter refused the commit and changed files, try once more, as a person would.
  const checked = first?.isMended && first.result?.passed === false ? await check() : first;
  if (checked === null) return { judged, results: [], message };
  const results = checked.result === null ? [] : [checked.result];
  if (message === null || checked.result?.passed === false) return { judged, results, message };
  const checkedMessage = await runCommitMsg(run, message);
  if (checkedMessage.result !== null) results.push(checkedMessage.result);
  return { judged, results, message: checkedMessage.message };
}

/** Changes by the hook to the task's own files are the task's work; other changes go into the base. */
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
  const tree = await treeWith(place, base.tree, others.map(formatEntry).join(''));
  await holdTree(place, provenRef(subject.task_id), now.tree);
  await writeBase(place, subject, { ...base, tree, left: now.tree });
  return { ...judged, tree: now.tree };
}
