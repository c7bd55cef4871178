// Puts work into the checkout and takes it out again, with an index of Ralph's own.
import { GitFailed, git } from '../git/git.ts';
import { type Place, withHeadIndex } from '../git/own-git.ts';
import { changesBetween } from '../git/tree-changes.ts';
import { findUntracked } from '../persons-branch/move-checkout.ts';

/** From one tree to another. False if a file in question has changed or is in the way: then no file has moved. */
export async function moveFiles(place: Place, from: string, to: string): Promise<boolean> {
  if (from === to) return true;
  const changes = await changesBetween(place, from, to);
  return withHeadIndex(place, from, async (own) => {
    if ((await findUntracked(own, changes)).length > 0) return false;
    try {
      await git(own, ['update-index', '-q', '--refresh'], { answers: [1] });
      await git(own, ['read-tree', '-m', '-u', from, to]);
      return true;
    } catch (error) {
      if (!(error instanceof GitFailed)) throw error;
      return false;
    }
  });
}
