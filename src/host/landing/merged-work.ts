// Whether work is in what somebody merged although its commit is not: they may have rebased or squashed the branch before.
import { hasObject, isAncestor, treeOfCommit } from '../git/git.ts';
import { holdingOffGc } from '../git/hold-off-gc.ts';
import type { Place } from '../git/own-git.ts';
import { withNetwork } from '../remote/network-git.ts';
import type { Remote } from '../remote/remote.ts';
import { explainFailure } from '../remote/remote-failure.ts';
import { FETCH } from '../remote/remote-tip.ts';
import { mergeCommits, mergeWork } from './merge.ts';

type MergedHead = {
  /** The head of the pull request when it was merged. */
  head: string;
  /** Where the remote keeps it, such as `refs/pull/12/head`: its branch may be deleted. */
  ref: string;
};

/**
 * Of `commits`, those whose change is in the merged head: to apply it once more changes nothing. So it is with all commits below one
 * whose whole branch is in there. A commit that neither this repository nor the remote has is never among them.
 */
export const findMergedWork = (
  place: Place,
  remote: Remote,
  { head, ref }: MergedHead,
  commits: readonly string[],
): Promise<ReadonlySet<string>> =>
  // No ref holds what is fetched.
  holdingOffGc(place, async () => {
    const there: string[] = [];
    if (!(await obtain(place, remote, head, ref))) return new Set();
    for (const commit of commits) if (await obtain(place, remote, commit, commit)) there.push(commit);
    const tree = await treeOfCommit(place, head);
    const found = new Set<string>();
    for (const commit of there) {
      const own = await mergeWork(place, { base: `${commit}^`, commit }, head);
      if (own.conflicts.length === 0 && own.tree === tree) found.add(commit);
      const whole = await mergeCommits(place, head, commit);
      if (whole.conflicts.length > 0 || whole.tree !== tree) continue;
      for (const below of there) if (await isAncestor(place, below, commit)) found.add(below);
    }
    return found;
  });

/** False if neither this repository nor the remote has the commit. */
async function obtain(place: Place, { name, stop }: Remote, commit: string, ref: string): Promise<boolean> {
  if (await hasObject(place, commit)) return true;
  const ended = await withNetwork(place, [], ({ run }) =>
    run([...FETCH, name, `+${ref}:refs/fetched/0`], stop),
  );
  if (ended.code !== 0) {
    const failure = explainFailure(ended, { name, ref });
    if (failure.kind !== 'missing') throw failure;
  }
  return hasObject(place, commit);
}
