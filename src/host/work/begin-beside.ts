import { holdingOffGc } from '../git/hold-off-gc.ts';
import type { Place } from '../git/own-git.ts';
import { takeTree } from '../git/work-tree.ts';
import { type CommitPolicy, withCommitted, withOthersChanges } from './persons-changes.ts';
import { readBase, writeBase } from './session-base.ts';

/**
 * Begins a session in a tree where others are at work, so Ralph moves nothing in it. `earlier`: the task's sessions since it
 * was last done, oldest first. Their uncommitted changes are the task's work as well; later changes by others are not.
 */
export async function beginBeside(
  place: Place,
  session: { session_id: string; task_id: number },
  earlier: readonly string[],
  committing: CommitPolicy,
): Promise<void> {
  const bases = await Promise.all(earlier.map((id) => readBase(place, id)));
  const last = bases.findLast((found) => found !== null) ?? null;
  await holdingOffGc(place, async () => {
    const now = await takeTree(place, last?.tree);
    if (now === null) return;
    const base =
      last === null
        ? now
        : await withCommitted(place, await withOthersChanges(place, last, now.tree), now, committing);
    const { left, ...begun } = { left: undefined, ...base };
    await writeBase(place, session, begun);
  });
}
