// What the hooks of the repository say of a task's work before the gates are asked. A hook may mend files, as formatters do.
import type { GateResult } from '../../domain/sessions/gate.ts';
import type { Proven } from '../commits/task-commit.ts';
import type { Place } from '../git/own-git.ts';
import { treeWith } from '../git/own-git.ts';
import { pathText } from '../git/raw-path.ts';
import { holdTree, provenRef } from '../git/refs.ts';
import { changesBetween, entryOf } from '../git/tree-changes.ts';
import { takeTree } from '../git/work-tree.ts';
import { withPersonsMoves } from '../work/persons-changes.ts';
import { readBase, type SessionBase, writeBase } from '../work/session-base.ts';
import { type HookRun, runCommitMsg, runPreCommit, treeOfStep } from './run-hooks.ts';

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
    const from = await withPersonsMoves(place, subject.session_id, base.tree);
    const tree = await treeOfStep(place, { from, to: judged.tree });
    if (tree === null || !isAsked) return tree === null ? null : { result: null, isMended: false };
    const result = await runPreCommit(run, tree);
    const mended = await takeMended(place, subject, base, judged, onChanged);
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
