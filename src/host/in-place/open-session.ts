// Prepares the checkout for a session, and takes unfinished work out of it afterwards.
import { MachineFailed } from '../../domain/refusal.ts';
import { treeOfCommit } from '../git/git.ts';
import { holdingOffGc } from '../git/hold-off-gc.ts';
import { adoptingSettings, type Place, treeWith } from '../git/own-git.ts';
import { workRef } from '../git/refs.ts';
import { changesBetween, formatEntry } from '../git/tree-changes.ts';
import { mergeWork } from '../landing/merge.ts';
import { readRef } from '../landing/trunk.ts';
import type { WorkCommit } from '../landing/work-refs.ts';
import { hasMergeTree } from '../slots/require-slots.ts';
import { requireTree } from './checkout.ts';
import { resetIndex } from './index-entries.ts';
import { moveFiles } from './move-files.ts';
import { branchNow, readSessionRecord, requireSameBranch, writeSessionRecord } from './session-record.ts';

export type OpenedCheckout = {
  /** The tree that the session starts with. */
  tree: string;
  /** What became of earlier work of the task. */
  earlier:
    | { kind: 'none' | 'restored' }
    | { kind: 'conflicts'; work: string; paths: readonly string[] }
    | { kind: 'left' };
};

type OpenInput = {
  session_id: string;
  task_id: number;
  base: string;
  /** False beside others: the settings of git that they adopted hold, because an agent of theirs may have changed them. */
  adopts?: boolean;
};

/** The task's earlier work comes back, merged onto what the checkout has now. */
export const openInPlace = (
  place: Place,
  { session_id, task_id, base, adopts = false }: OpenInput,
): Promise<OpenedCheckout> =>
  holdingOffGc(place, async () => {
    const take = () => requireTree(place);
    const { tree, head, submodules } = await (adopts ? adoptingSettings(place, take) : take());
    if (tree !== (await treeOfCommit(place, base)))
      throw new MachineFailed('files in the checkout changed while the session was about to begin.');
    const opened = await restoreWork(place, task_id, base, tree);
    // Last: without it nothing is taken for work of the session.
    await writeSessionRecord(place, session_id, { branch: branchNow(place), head, submodules });
    return opened;
  });

async function restoreWork(
  place: Place,
  task_id: number,
  base: string,
  tree: string,
): Promise<OpenedCheckout> {
  const work = await readRef(place, workRef(task_id));
  if (work === null) return { tree, earlier: { kind: 'none' } };
  const before = `${work}^`;
  const isSame = (await treeOfCommit(place, before)) === tree;
  // A git without merge-tree can only put the work back where it was.
  if (!isSame && !(await hasMergeTree(place))) return { tree, earlier: { kind: 'left' } };
  const merge = isSame
    ? { tree: await treeOfCommit(place, work), conflicts: [] }
    : await mergeWork(place, { base: before, commit: work }, base);
  if (!(await moveFiles(place, tree, merge.tree))) return { tree, earlier: { kind: 'left' } };
  return merge.conflicts.length === 0
    ? { tree: merge.tree, earlier: { kind: 'restored' } }
    : { tree: merge.tree, earlier: { kind: 'conflicts', work, paths: merge.conflicts } };
}

/** Only once a ref holds the work. Leaves the checkout as it is if these files or the branch have changed meanwhile. */
export async function takeOutWork(
  place: Place,
  { session_id, task_id }: { session_id: string; task_id: number },
  work: WorkCommit,
): Promise<void> {
  const record = await readSessionRecord(place, session_id);
  if (record === null) return;
  const head = await requireSameBranch(place, task_id, record).catch(() => null);
  const isMoved = head !== record.head;
  // Uncommitted work of other tasks would have to be merged with the new commits.
  if (head === null || (isMoved && work.base !== record.head)) return;
  const own = new Set(
    (await changesBetween(place, await treeOfCommit(place, work.base), work.tree)).map(({ path }) => path),
  );
  const back = await changesBetween(place, work.tree, await treeOfCommit(place, isMoved ? head : work.base));
  const entries = back.filter(({ path }) => own.has(path)).map(formatEntry);
  if (await moveFiles(place, work.tree, await treeWith(place, work.tree, entries.join(''))))
    await resetIndex(place, head);
}
