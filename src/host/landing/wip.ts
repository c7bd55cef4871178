// What a session has made so far, shared while it works: a machine that dies takes along no more than the time since the last push.
import { treeOfCommit } from '../git/git.ts';
import { holdingOffGc } from '../git/hold-off-gc.ts';
import type { Place } from '../git/own-git.ts';
import { peekSlot } from '../slots/fill-slot.ts';
import type { Slot } from '../slots/slot.ts';
import { shareTaskWork } from './shared-work.ts';
import type { Trunk } from './trunk.ts';
import { plainCommit, saveTaskWork } from './work-refs.ts';

type UnfinishedWork = {
  slot: Slot;
  task_id: number;
  base: string;
  included: readonly string[];
  /** The tree that was shared last. */
  last: string | null;
};

/**
 * Saves the files of the slot as the unfinished work of the task, here and on the remote. The finish of the session replaces it.
 * Returns the tree that both have now.
 */
export async function shareUnfinished(
  repository: Place,
  trunk: Trunk,
  { slot, task_id, base, included, last }: UnfinishedWork,
): Promise<string | null> {
  const { remote } = trunk;
  if (remote === null) return null;
  const tree = await holdingOffGc(repository, async () => {
    const { tree } = await peekSlot(slot, base, included);
    if (tree === last || tree === (await treeOfCommit(repository, base))) return null;
    const message = `Unfinished work on task ${task_id}\n\nRalph-Task: ${task_id}\n`;
    const commit = await plainCommit(repository, { tree, parents: [base], message });
    await saveTaskWork(repository, task_id, { commit, tree, base });
    return tree;
  });
  if (tree === null) return last;
  let isShared = true;
  // No session waits for it: the next time comes soon.
  await shareTaskWork(repository, { ...trunk, remote: { ...remote, patienceMs: 0 } }, task_id, () => {
    isShared = false;
  });
  return isShared ? tree : last;
}
