// The file in which each finished feature gets an entry (PROGRESS.md, unless the configuration names another).
import { join, relative } from 'node:path';
import { git, gitLine } from '../git/git.ts';
import { findGit } from '../git/git-directory.ts';
import { type Place, treeWith } from '../git/own-git.ts';
import { rawPath } from '../git/raw-path.ts';
import { formatEntry } from '../git/tree-changes.ts';

const PLAIN_FILE = '100644';

/** Relative to the top of the repository: the project may be in a folder of it. */
export const progressPath = ({ root }: Place, file: string): string =>
  rawPath(join(relative(findGit(root)?.worktree ?? root, root), file));

/** The tree with the entry added to the file; null if it is there already, or if the file is no plain file. */
export async function treeWithEntry(
  repository: Place,
  tree: string,
  file: string,
  entry: string,
): Promise<string | null> {
  const path = progressPath(repository, file);
  const { stdout: found } = await git(repository, ['ls-tree', '--full-tree', '-z', tree, '--', path]);
  const [, mode, hash] = /^(\d+) blob ([0-9a-f]+)\t/.exec(found) ?? [];
  if (found !== '' && mode !== PLAIN_FILE) return null;
  const before =
    hash === undefined
      ? '# Progress\n'
      : Buffer.from((await git(repository, ['cat-file', 'blob', hash])).stdout, 'latin1').toString('utf8');
  if (before.includes(entry)) return null;
  const input = Buffer.from(`${before.trimEnd()}\n\n${entry}`);
  const blob = await gitLine(repository, ['hash-object', '-w', '--stdin'], { input });
  return treeWith(repository, tree, formatEntry({ path, mode: PLAIN_FILE, hash: blob }));
}
