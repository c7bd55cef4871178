import { isAbsolute, relative } from 'node:path';
import { headCommit, treeOfCommit } from '../git/git.ts';
import { findGit } from '../git/git-directory.ts';
import type { Place } from '../git/own-git.ts';
import { pathText } from '../git/raw-path.ts';
import { type Change, changesBetween, GONE } from '../git/tree-changes.ts';

export type Written = {
  /** What the session's tools named as written. */
  files: readonly string[];
  /** Whether it also used what names no files, as a shell does. */
  unnamed: boolean;
};

/**
 * Whether a session changed the work tree. A file that git does not track counts only where the session may have written it:
 * logs, caches and builds of other processes come and go by themselves.
 */
export async function isWorkChanged(
  place: Place,
  before: string,
  after: string,
  { files, unnamed }: Written,
): Promise<boolean> {
  if (before === after) return false;
  if (unnamed) return true;
  const changes = await changesBetween(place, before, after);
  const head = await treeOfCommit(place, await headCommit(place));
  const sinceHead = new Map(
    (await changesBetween(place, head, after)).map((change) => [change.path, change]),
  );
  const worktree = findGit(place.root)?.worktree ?? place.root;
  const named = new Set(files.map((file) => (isAbsolute(file) ? relative(worktree, file) : file)));
  const isTracked = ({ path, mode }: Change): boolean => {
    const change = sinceHead.get(path);
    // The same in HEAD and now: it is in both, or in neither.
    return change === undefined ? mode !== GONE : change.old_mode !== GONE;
  };
  return changes.some((change) => isTracked(change) || named.has(pathText(change.path)));
}
