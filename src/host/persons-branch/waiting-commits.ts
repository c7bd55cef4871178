import type { Place } from '../git/own-git.ts';
import { countApart, readRef, type Trunk } from '../landing/trunk.ts';
import { findRewritten } from './rewritten.ts';

/**
 * `landed`: commits of the trunk that the person's branch lacks. `own`: commits of the branch that the trunk lacks. `rewritten`: the
 * person replaced commits that the trunk has; then only work that the next run puts on top of theirs counts as landed.
 */
export type WaitingCommits = { landed: number; own: number; rewritten: boolean };

/** Null if there is no trunk or no branch. Starts git only if the two differ. */
export async function countWaiting(repository: Place, trunk: Trunk): Promise<WaitingCommits | null> {
  const [tip, branch] = [await readRef(repository, trunk.ref), await readRef(repository, trunk.branchRef)];
  if (tip === null || branch === null) return null;
  if (tip === branch) return { landed: 0, own: 0, rewritten: false };
  const { landed, own } = await countApart(repository, branch, tip);
  const isDiverged = landed > 0 && own > 0;
  const rewritten = isDiverged
    ? await findRewritten(repository, trunk, { kind: 'diverged', tip, branch, landed })
    : null;
  return { landed: rewritten?.landed.length ?? landed, own, rewritten: rewritten !== null };
}
