import { git } from '../git/git.ts';
import type { Place } from '../git/own-git.ts';

/** Ralph as author and committer. */
export const RALPH = {
  GIT_AUTHOR_NAME: 'Ralph',
  GIT_AUTHOR_EMAIL: 'ralph@localhost',
  GIT_COMMITTER_NAME: 'Ralph',
  GIT_COMMITTER_EMAIL: 'ralph@localhost',
};

/** Without `user.name` and `user.email` Ralph commits under its own name. */
export async function withIdentity(place: Place): Promise<Place> {
  const { stdout } = await git(place, ['config', '--name-only', '--get-regexp', '^user\\.(name|email)$'], {
    answers: [1],
  });
  const known = ['user.name', 'user.email'].every((key) => stdout.split('\n').includes(key));
  return known ? place : { ...place, env: { ...RALPH, ...place.env } };
}
