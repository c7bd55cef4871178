import type { Place } from '../git/own-git.ts';
import { countApart, readRef, type Trunk } from './trunk.ts';

/** `landed`: commits of the trunk that the person's branch lacks. `own`: commits of the branch that the trunk lacks. */
export type WaitingCommits = { landed: number; own: number };

/** Null if there is no trunk or no branch. Starts git only if the two differ. */
export async function countWaiting(repository: Place, trunk: Trunk): Promise<WaitingCommits | null> {
  const [tip, branch] = [await readRef(repository, trunk.ref), await readRef(repository, trunk.branchRef)];
  if (tip === null || branch === null) return null;
  if (tip === branch) return { landed: 0, own: 0 };
  return countApart(repository, branch, tip);
}
