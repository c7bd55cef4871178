// Writes changes into the work tree, as git would check them out but without filters and hooks.
import { lstat, readFile, readlink, realpath, rm, rmdir } from 'node:fs/promises';
import { git, gitLine } from './git.ts';
import { findGit } from './git-directory.ts';
import { type Place, withEmptyIndex } from './own-git.ts';
import { pathBytes } from './raw-path.ts';
import { type Change, entryOf, GONE, isRepositoryLink } from './tree-changes.ts';

/** Answers with the paths where a folder or an ignored file was in the way; everything else is as the changes say. */
export async function applyChanges(place: Place, all: readonly Change[]): Promise<string[]> {
  const worktree = findGit(place.root)?.worktree ?? place.root;
  // The files of a submodule are another repository's.
  const changes = all.filter((change) => !isRepositoryLink(change));
  for (const { path } of changes.filter(({ mode }) => mode === GONE)) await removeFile(worktree, path);
  const written = changes.filter(({ mode }) => mode !== GONE);
  const blocked: string[] = [];
  for (const change of written)
    if (!(await isFree(worktree, change.path)) || (await isOthers(place, worktree, change)))
      blocked.push(change.path);
  const free = written.filter(({ path }) => !blocked.includes(path));
  if (free.length > 0)
    await withEmptyIndex(place, async (own) => {
      await git(own, ['update-index', '-z', '--index-info'], { input: free.map(entryOf).join('') });
      await git(own, ['checkout-index', '--force', '--all']);
    });
  return blocked;
}

const at = (worktree: string, path: string): Buffer =>
  Buffer.concat([Buffer.from(`${worktree}/`), pathBytes(path)]);

/** A folder that still holds something, a repository for instance, is not removed to make room for a file. */
async function isFree(worktree: string, path: string): Promise<boolean> {
  const found = await lstat(at(worktree, path)).catch(() => null);
  if (found === null || !found.isDirectory()) return true;
  return isRemoved(at(worktree, path));
}

/** A file that no tree told of, because git ignores it by now, is not the task's to write over. */
async function isOthers(place: Place, worktree: string, { path, old_mode, hash }: Change): Promise<boolean> {
  if (old_mode !== GONE) return false;
  const found = await lstat(at(worktree, path)).catch(() => null);
  if (found === null || !(found.isFile() || found.isSymbolicLink())) return found !== null;
  // Written already, by a supervisor that was killed on the way.
  const content = found.isSymbolicLink()
    ? await readlink(at(worktree, path), { encoding: 'buffer' })
    : await readFile(at(worktree, path));
  return (await hashOf(place, content)) !== hash;
}

const hashOf = (place: Place, content: Buffer): Promise<string> =>
  gitLine(place, ['hash-object', '--stdin'], { input: content.toString('latin1') });

const isRemoved = (folder: Buffer): Promise<boolean> =>
  rmdir(folder).then(
    () => true,
    () => false,
  );

/** And the folders that it leaves empty, as git would. */
async function removeFile(worktree: string, path: string): Promise<void> {
  const parent = parentOf(path);
  const folder = parent === '' ? Buffer.from(worktree) : at(worktree, parent);
  // Through a link that an agent laid it would be another file.
  const real = await realpath(folder, { encoding: 'buffer' }).catch(() => null);
  const root = await realpath(worktree, { encoding: 'buffer' });
  const expected = parent === '' ? root : Buffer.concat([root, at('', parent)]);
  if (real === null || !real.equals(expected)) return;
  const found = await lstat(at(worktree, path)).catch(() => null);
  if (found === null || found.isDirectory()) return;
  // What cannot be removed stays where it lies: a commit under refs/ralph/ holds it already.
  await rm(at(worktree, path), { force: true }).catch(() => {});
  for (let empty = parent; empty !== ''; empty = parentOf(empty))
    if (!(await isRemoved(at(worktree, empty)))) return;
}

const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));
