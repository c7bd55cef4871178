import type { Place } from '../git/own-git.ts';
import { personsSettings } from '../git/persons-settings.ts';
import type { Environment } from '../processes/spawn.ts';

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
  return { ...place, env: { ...(isKnown ? persons(settings) : RALPH), ...place.env } };
}

/**
 * As variables, which git would prefer to its settings: so whoever makes a commit need not ask git. None if one is not UTF-8: a
 * variable cannot hold it, so git has to read its settings.
 */
function persons(settings: ReadonlyMap<string, string>): Environment {
  const variables = ['author', 'committer'].flatMap((role) =>
    ['name', 'email'].map((field) => {
      const raw = settings.get(`${role}.${field}`) ?? settings.get(`user.${field}`) ?? '';
      // Git's output holds one character a byte.
      const text = Buffer.from(raw, 'latin1').toString('utf8');
      const isUtf8 = Buffer.from(text, 'utf8').toString('latin1') === raw;
      return { variable: `GIT_${role}_${field}`.toUpperCase(), text, isUtf8 };
    }),
  );
  if (variables.some(({ isUtf8 }) => !isUtf8)) return {};
  return Object.fromEntries(variables.map(({ variable, text }) => [variable, text]));
}
