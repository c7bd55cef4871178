// Files that a clean checkout shows otherwise than HEAD: stored through a filter, left out by a sparse checkout, or written by
// Ralph itself. Ralph sees the files as they are on the disk, so it would take them for changes.
import { filteredPaths } from '../commits/require-committable.ts';
import { git, treeOfCommit } from '../git/git.ts';
import { treeWith } from '../git/own-git.ts';
import { personsSettings } from '../git/persons-settings.ts';
import { type Change, changesBetween, formatEntry, GONE } from '../git/tree-changes.ts';
import type { Checkout } from './checkout.ts';

/** Those of the changes that are none, by their path. */
export async function exemptPaths(
  { place, ownFiles }: Checkout,
  changes: readonly Change[],
): Promise<ReadonlySet<string>> {
  if (changes.length === 0) return new Set();
  const paths = changes.map(({ path }) => path);
  const filtered = await filteredPaths(place, paths);
  const gone = changes.flatMap(({ path, mode }) => (mode === GONE ? [path] : []));
  return new Set([
    ...filtered.keys(),
    ...paths.filter((path) => ownFiles.includes(path)),
    ...(await skippedPaths({ place }, gone)),
  ]);
}

/** Files that a sparse checkout does not have. */
async function skippedPaths(
  { place }: Pick<Checkout, 'place'>,
  gone: readonly string[],
): Promise<readonly string[]> {
  if (gone.length === 0) return [];
  const settings = await personsSettings(place);
  if (settings.get('core.sparsecheckout') !== 'true') return [];
  const { stdout } = await git(place, ['ls-files', '-t', '-z', '--full-name', ':(top)']);
  const skipped = new Set(
    stdout.split('\0').flatMap((line) => (line.startsWith('S ') ? [line.slice(2)] : [])),
  );
  return gone.filter((path) => skipped.has(path));
}

/**
 * The tree that a commit on top of `head` gets: exempt files stay as they are there. `base`: as the session found the files. What
 * it changed itself is not exempt, apart from files that Ralph writes.
 */
export async function treeToCommit(
  checkout: Checkout,
  { head, base, tree }: { head: string; base: string; tree: string },
): Promise<string> {
  const { place, ownFiles } = checkout;
  const changes = await changesBetween(place, await treeOfCommit(place, head), tree);
  const exempt = await exemptPaths(checkout, changes);
  if (exempt.size === 0) return tree;
  const own = await changesBetween(place, await treeOfCommit(place, base), tree);
  const changed = new Set(own.map(({ path }) => path).filter((path) => !ownFiles.includes(path)));
  const entries = changes
    .filter(({ path }) => exempt.has(path) && !changed.has(path))
    .map(({ path, old_mode, old_hash }) => formatEntry({ path, mode: old_mode, hash: old_hash }));
  return treeWith(place, tree, entries.join(''));
}
