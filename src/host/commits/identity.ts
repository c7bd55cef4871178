import type { Place } from '../git/own-git.ts';
import { personsSettings } from '../git/persons-settings.ts';

/** Ralph as author and committer. */
export const RALPH = {
  GIT_AUTHOR_NAME: 'Ralph',
  GIT_AUTHOR_EMAIL: 'ralph@localhost',
  GIT_COMMITTER_NAME: 'Ralph',
  GIT_COMMITTER_EMAIL: 'ralph@localhost',
};

/** Without `user.name` and `user.email` Ralph commits under its own name. */
export async function withIdentity(place: Place): Promise<Place> {
  const settings = await personsSettings(place);
  const isKnown = settings.has('user.name') && settings.has('user.email');
  return isKnown ? place : { ...place, env: { ...RALPH, ...place.env } };
}
