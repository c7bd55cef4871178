// Whether a session's task has changed anything. What a tree cannot hold counts, too: it is somebody's to decide.
import type { Place } from '../git/own-git.ts';
import { changesBetween } from '../git/tree-changes.ts';
import { type TakenTree, takeTree } from '../git/work-tree.ts';
import { withPersonsMoves } from './persons-changes.ts';
import { readBase } from './session-base.ts';

/** False without git, or without a record of how the task began: nobody can tell. */
export async function looksUnchanged(place: Place, session_id: string): Promise<boolean> {
  const taken = await takeTree(place);
  return taken !== null && isUnchangedSince(place, session_id, taken);
}

export async function isUnchangedSince(
  place: Place,
  session_id: string,
  now: TakenTree & { head?: string | null },
): Promise<boolean> {
  const base = await readBase(place, session_id);
  if (base === null) return false;
  const rest = ({ left_out, submodules }: TakenTree): string => JSON.stringify([left_out, submodules]);
  if (rest(base) !== rest(now)) return false;
  const from = await withPersonsMoves(place, session_id, base.tree, now.head);
  return (await changesBetween(place, from, now.tree)).length === 0;
}
