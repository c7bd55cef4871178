// What the hooks of the repository say of a task's work before the gates are asked. A hook may mend files, as formatters do.
import type { GateResult } from '../domain/gate.ts';
import type { Place } from './own-git.ts';
import { treeWith } from './own-git.ts';
import { withPersonsMoves } from './persons-changes.ts';
import { pathText } from './raw-path.ts';
import { holdTree, provenRef } from './refs.ts';
import { type HookRun, runCommitMsg, runPreCommit } from './run-hooks.ts';
import { readBase, type SessionBase, writeBase } from './session-base.ts';
import type { Proven } from './session-work.ts';
import { changesBetween, entryOf } from './tree-changes.ts';
import { takeTree } from './work-tree.ts';

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
  const check = async (): Promise<GateResult | null> => {
    const base = await readBase(place, subject.session_id);
    if (base === null) return null;
    const from = await withPersonsMoves(place, subject.session_id, base.tree);
    const result = await runPreCommit(run, { from, to: judged.tree });
    const mended = await takeMended(place, subject, base, judged, onChanged);
    const isMended = mended.tree !== judged.tree;
    judged = mended;
    // As a person does whose commit a formatter refuses: what it has mended is tried once more.
    return isMended && result?.passed === false ? null : result;
  };
  const isAsked = run.hooks.found.some(({ name }) => name === 'pre-commit');
  const checked = isAsked ? ((await check()) ?? (await check())) : null;
  const results = checked === null ? [] : [checked];
  if (message === null || checked?.passed === false) return { judged, results, message };
  const told = await runCommitMsg(run, message);
  return {
    judged,
    results: [...results, ...(told.result === null ? [] : [told.result])],
    message: told.message,
  };
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
