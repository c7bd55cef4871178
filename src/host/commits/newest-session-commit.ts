import { relative } from 'node:path';
import { type Git, git, headCommit } from '../git/git.ts';
import { findGit } from '../git/git-directory.ts';

/** A project that Ralph works on has a session commit among these; a longer history is not read to its end. */
const MAX_COMMITS_BACK = 1_000;

/** The newest commit of this project that one of Ralph's sessions made, or null. */
export async function newestSessionCommit(repository: Git): Promise<string | null> {
  const place = findGit(repository.root);
  if (place === null || (await headCommit(repository)) === null) return null;
  const format = '--format=%H %(trailers:key=Ralph-Session,valueonly,separator=%x20)';
  // Other projects in the same repository have their own sessions.
  const below = relative(place.worktree, repository.root) === '' ? [] : ['--', '.'];
  const { stdout } = await git(repository, ['log', `--max-count=${MAX_COMMITS_BACK}`, format, ...below]);
  const found = stdout.split('\n').find((line) => /^[0-9a-f]{40,64} \S/.test(line));
  return found?.split(' ')[0] ?? null;
}
