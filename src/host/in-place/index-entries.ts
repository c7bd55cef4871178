// Brings the person's index to HEAD where a session has changed it, or where Ralph has moved HEAD.
import { relative } from 'node:path';
import { git, treeOfCommit } from '../git/git.ts';
import { findGit } from '../git/git-directory.ts';
import type { Place } from '../git/own-git.ts';
import { withoutFilters } from '../git/persons-settings.ts';
import { isRalphs } from '../git/raw-path.ts';
import { type Change, formatEntry, parseChanges } from '../git/tree-changes.ts';

/** The checkout was clean when the session began, so nothing that a person staged before is lost. */
export const resetIndex = async (place: Place, head: string): Promise<void> =>
  unstage(place, await stagedChanges(place, head));

async function unstage(place: Place, staged: readonly Change[]): Promise<void> {
  if (staged.length === 0) return;
  const input = staged.map(({ path, old_mode, old_hash }) =>
    formatEntry({ path, mode: old_mode, hash: old_hash }),
  );
  await git(await withoutFilters(place), ['update-index', '-z', '--index-info'], { input: input.join('') });
}

/**
 * After a crash between Ralph's commit and its index: the index still holds what was there before that commit. Returns what is
 * staged then.
 */
export async function completeIndex(place: Place, head: string): Promise<readonly Change[]> {
  const staged = await stagedChanges(place, head);
  if (staged.length === 0) return [];
  const format = '--format=%(trailers:key=Ralph-Session,valueonly)';
  const { stdout } = await git(place, ['log', '-1', format, head]);
  if (stdout.trim() === '') return staged;
  const before = new Set((await stagedChanges(place, `${head}^`)).map(({ path }) => path));
  if (staged.some(({ path }) => before.has(path))) return staged;
  await unstage(place, staged);
  return [];
}

/** Those of the paths that a person has staged with a content that neither HEAD nor the file has: Ralph would lose it. */
export async function stagedApart(place: Place, staged: readonly Change[], tree: string): Promise<string[]> {
  if (staged.length === 0) return [];
  const differing = new Set((await stagedChanges(place, tree)).map(({ path }) => path));
  return staged.flatMap(({ path }) => (differing.has(path) ? [path] : []));
}

/** From a commit or tree to the index, in the folder of the project. */
async function stagedChanges(place: Place, from: string): Promise<Change[]> {
  const below = relative(findGit(place.root)?.worktree ?? place.root, place.root);
  const { stdout } = await git(place, [
    'diff-index',
    '--cached',
    '-z',
    '--no-renames',
    await treeOfCommit(place, from),
    ...(below === '' ? [] : ['--', `:(top,literal)${below}`]),
  ]);
  return parseChanges(stdout).filter(({ path }) => !isRalphs(path));
}
