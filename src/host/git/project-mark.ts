import { existsSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import type { ProjectMark } from '../../domain/project-mark.ts';
import { git, headCommit } from './git.ts';
import { findGit } from './git-directory.ts';
import type { Place } from './own-git.ts';

/** Null without a commit, and in a shallow clone: it does not have the first commits. */
export async function readOwnMark(place: Place): Promise<ProjectMark | null> {
  const found = findGit(place.root);
  if (found === null || existsSync(join(found.commonDir, 'shallow'))) return null;
  if ((await headCommit(place)) === null) return null;
  const { stdout } = await git(place, ['rev-list', '--max-parents=0', 'HEAD']);
  const folder = relative(found.worktree, place.root).split(sep).join('/');
  return { roots: stdout.trim().split('\n').sort(), folder };
}
