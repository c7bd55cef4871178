import { relative } from 'node:path';
import { type Git, git, headCommit } from '../git/git.ts';
import { findGit } from '../git/git-directory.ts';

/** A project that Ralph works on has one among these; a history of a million commits must not be read to its end. */
const LOOKED_BACK = 1_000;

/** The newest commit of this project that a session of Ralph's made; null where there is none. */
export async function newestSessionCommit(repository: Git): Promise<string | null> {
  const place = findGit(repository.root);
  if (place === null || (await headCommit(repository)) === null) return null;
  const format = '--format=%H %(trailers:key=Ralph-Session,valueonly,separator=%x20)';
  // Other projects of the same repository have sessions of their own.
  const below = relative(place.worktree, repository.root) === '' ? [] : ['--', '.'];
  const { stdout } = await git(repository, ['log', `--max-count=${LOOKED_BACK}`, format, ...below]);
  const found = stdout.split('\n').find((line) => /^[0-9a-f]{40,64} \S/.test(line));
  return found?.split(' ')[0] ?? null;
}
