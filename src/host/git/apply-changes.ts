// Writes changes into the work tree like a checkout, but without filters and hooks.
import { lstat, readFile, readlink, realpath, rm, rmdir } from 'node:fs/promises';
import { git, gitLine } from './git.ts';
import { findGit } from './git-directory.ts';
import { type Place, withEmptyIndex } from './own-git.ts';
import { pathBytes } from './raw-path.ts';
import { type Change, formatEntry, GONE, isRepositoryLink } from './tree-changes.ts';

/** Returns the paths where a folder or an ignored file was in the way; all other changes are applied. */
export async function applyChanges(place: Place, all: readonly Change[]): Promise<string[]> {
  const worktree = findGit(place.root)?.worktree ?? place.root;
  // The files of a submodule belong to another repository.
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
      await git(own, ['update-index', '-z', '--index-info'], { input: free.map(formatEntry).join('') });
      await git(own, ['checkout-index', '--force', '--all']);
    });
  return blocked;
}

const absolutePath = (worktree: string, path: string): Buffer =>
  Buffer.concat([Buffer.from(`${worktree}/`), pathBytes(path)]);

/** Ralph does not remove a folder with content, such as a repository, to make room for a file. */
async function isFree(worktree: string, path: string): Promise<boolean> {
  const found = await lstat(absolutePath(worktree, path)).catch(() => null);
  if (found === null || !found.isDirectory()) return true;
  return isRemoved(absolutePath(worktree, path));
}

/** A file that is in no tree, because git ignores it by now, is not the task's to overwrite. */
async function isOthers(place: Place, worktree: string, { path, old_mode, hash }: Change): Promise<boolean> {
  if (old_mode !== GONE) return false;
  const found = await lstat(absolutePath(worktree, path)).catch(() => null);
  if (found === null || !(found.isFile() || found.isSymbolicLink())) return found !== null;
  // The same content: a supervisor that was killed half-way has written it already.
  const content = found.isSymbolicLink()
    ? await readlink(absolutePath(worktree, path), { encoding: 'buffer' })
    : await readFile(absolutePath(worktree, path));
  return (await hashContent(place, content)) !== hash;
}

const hashContent = (place: Place, content: Buffer): Promise<string> =>
  gitLine(place, ['hash-object', '--stdin'], { input: content.toString('latin1') });

const isRemoved = (folder: Buffer): Promise<boolean> =>
  rmdir(folder).then(
    () => true,
    () => false,
  );

/** Also removes the folders that it leaves empty, as git does. */
async function removeFile(worktree: string, path: string): Promise<void> {
  const parent = parentPath(path);
  const folder = parent === '' ? Buffer.from(worktree) : absolutePath(worktree, parent);
  // Behind a link that an agent made, the path would be another file.
  const real = await realpath(folder, { encoding: 'buffer' }).catch(() => null);
  const root = await realpath(worktree, { encoding: 'buffer' });
  const expected = parent === '' ? root : Buffer.concat([root, absolutePath('', parent)]);
  if (real === null || !real.equals(expected)) return;
  const found = await lstat(absolutePath(worktree, path)).catch(() => null);
  if (found === null || found.isDirectory()) return;
  // A file that cannot be removed stays: a commit under refs/ralph/ holds it already.
  await rm(absolutePath(worktree, path), { force: true }).catch(() => {});
  for (let empty = parent; empty !== ''; empty = parentPath(empty))
    if (!(await isRemoved(absolutePath(worktree, empty)))) return;
}

const parentPath = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));
