// Where Ralph keeps its own git directory and index of a work tree.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { findGit } from './git-directory.ts';

type Owner = { root: string; stateDir: string };

/** One folder for each work tree: all of them share the state. */
export function ownFolder({ root, stateDir }: Owner): string {
  const worktree = findGit(root)?.worktree ?? root;
  return join(stateDir, 'worktrees', createHash('sha256').update(worktree).digest('hex').slice(0, 16));
}

export const ownGitDir = (place: Owner): string => join(ownFolder(place), 'git');

/** Cached between calls, because it knows which files are unchanged: without it git would read and hash each of them again. */
export const cachedIndex = (place: Owner): string => join(ownFolder(place), 'index');
