// Remembers which tree the cached index of a work tree holds. While that stands, taking the tree again costs one git process
// instead of four: git only has to find the files that have changed since.
import { statSync } from 'node:fs';
import { type Git, treeOfCommit } from './git.ts';
import { isLoose } from './loose-objects.ts';
import { cachedIndex, ownGitDir } from './own-folder.ts';
import { adoptedRules } from './own-settings.ts';

type Place = Git & { stateDir: string };
export type Take = {
  tree: string;
  head: string | null;
  /** Trees whose files are all in the index. */
  holds: readonly string[];
};

/** By the path of the cached index. */
const takes = new Map<string, Take & { stamp: string; rules: string }>();

/** Call it before `index`, which holds the tree, becomes the cached one: another take may replace that at any moment. */
export function rememberTake(place: Place, index: string, { tree, head, holds }: Take): void {
  const [stamp, rules] = [indexStamp(index), adoptedRules(ownGitDir(place))];
  if (stamp === null || rules === null) return;
  takes.set(cachedIndex(place), { tree, head, holds: [...holds, tree].slice(-MAX_HELD), stamp, rules });
}

/** A session takes its tree a few times. */
const MAX_HELD = 8;

/** What the cached index holds on top of this HEAD; null if Ralph cannot tell. */
export async function findLastTake(place: Place, head: string | null): Promise<Take | null> {
  const take = takes.get(cachedIndex(place));
  if (take === undefined || take.stamp !== indexStamp(cachedIndex(place))) return null;
  // What a person ignores decides which files are in a tree.
  if (take.rules !== adoptedRules(ownGitDir(place))) return null;
  // `git gc --prune=now` may have removed a tree that no ref held: then it has to be written again.
  const isKept = take.head === head && isLoose(place, take.tree);
  return isKept || take.tree === (await treeOfCommit(place, head)) ? take : null;
}

/** Git writes a new file each time. Without its change time: to rename the file changes that. */
function indexStamp(path: string): string | null {
  const found = statSync(path, { throwIfNoEntry: false, bigint: true });
  return found === undefined ? null : `${found.ino} ${found.size} ${found.mtimeNs}`;
}
