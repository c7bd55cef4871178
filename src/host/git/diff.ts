// Changes as text, for a prompt or a person.
import { git, hasObject } from './git.ts';
import { findGit } from './git-directory.ts';
import { type Place, withEmptyIndex, withHeadIndex } from './own-git.ts';

/** Of a nested repository git compares only the commit: a deeper look would obey that repository's configuration. */
const TEXT_ONLY = ['--no-ext-diff', '--no-textconv', '--no-color', '--ignore-submodules=dirty'];
/** More is of no use to an agent, which can run git itself. */
const MAX_DIFF = 16 * 1024;

/** What changed in the work tree since the commit; null if nothing did, or the commit is gone. */
export const diffSince = (place: Place, commit: string): Promise<string | null> =>
  textDiff(place, commit, ['diff']);

/** What one commit changed; null if nothing, or the commit is gone. */
export const commitDiff = (place: Place, commit: string): Promise<string | null> =>
  textDiff(place, commit, ['show', '--format=']);

async function textDiff(place: Place, commit: string, command: readonly string[]): Promise<string | null> {
  if (!/^[0-9a-f]{7,64}$/.test(commit) || findGit(place.root) === null) return null;
  if (!(await hasObject(place, commit))) return null;
  const text = await withHeadIndex(place, commit, async (own) => {
    const inProject = { ...own, root: place.root };
    const { stdout } = await git(inProject, [
      ...command,
      ...TEXT_ONLY,
      commit,
      '--',
      '.',
      ':(exclude).ralph',
    ]);
    return Buffer.from(stdout, 'latin1').toString('utf8');
  });
  if (text.trim() === '') return null;
  return text.length <= MAX_DIFF
    ? text
    : `${text.slice(0, MAX_DIFF)}\n(cut: the whole is ${text.length} characters long)`;
}

/** How a text differs from a file; null if it does not. */
export async function diffFromFile(place: Place, file: string, text: string): Promise<string | null> {
  const compare = ['diff', ...TEXT_ONLY, '--no-index', '--', file, '-'];
  const input = Buffer.from(text, 'utf8').toString('latin1');
  const options = { input, answers: [1] };
  const { stdout } =
    findGit(place.root) === null
      ? await git(place, compare, options)
      : await withEmptyIndex(place, (own) => git(own, compare, options));
  return stdout === '' ? null : Buffer.from(stdout, 'latin1').toString('utf8');
}
