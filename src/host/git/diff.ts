// Changes as text, for a prompt or a person.
import { relative, sep } from 'node:path';
import type { FileChange } from '../../domain/context.ts';
import { git, hasObject, treeOfCommit } from './git.ts';
import { findGit } from './git-directory.ts';
import { type Place, withEmptyIndex } from './own-git.ts';
import { pathText, rawPath } from './raw-path.ts';
import { objectSizes } from './read-objects.ts';
import { type Change, changesBetween, GONE, isRepositoryLink } from './tree-changes.ts';

const TEXT_ONLY = ['--no-ext-diff', '--no-textconv', '--no-color'];

/** A prompt names files beyond these limits without their text: an agent can read them itself. */
const MAX_FILE_BYTES = 2 ** 20;
const MAX_TOTAL_BYTES = 8 * 2 ** 20;
const MAX_FILES = 300;
const MAX_DIFF_CHARACTERS = 200 * 1024;

/** What a commit changed; null if the commit is gone. */
export async function commitChanges(place: Place, commit: string): Promise<FileChange[] | null> {
  if (findGit(place.root) === null || !(await hasObject(place, commit))) return null;
  const parent = await git(place, ['rev-parse', '--verify', '--quiet', `${commit}^`], { answers: [1] });
  const before = await treeOfCommit(place, parent.code === 0 ? parent.stdout.trim() : null);
  return treeChanges(place, before, await treeOfCommit(place, commit));
}

/** What differs between two trees in the project, by path; null if git has lost one of them. */
export async function treeChanges(place: Place, from: string, to: string): Promise<FileChange[] | null> {
  const found = findGit(place.root);
  if (found === null) return null;
  if (from === to) return [];
  if (!(await hasObject(place, from)) || !(await hasObject(place, to))) return null;
  const below = relative(found.worktree, place.root).split(sep).join('/');
  const folder = below === '' ? '' : `${below}/`;
  const all = await changesBetween(place, from, to);
  const changes = all.filter(({ path }) => path.startsWith(rawPath(folder)));
  const texts = await readTexts(place, { from, to, folder }, await smallChanges(place, changes));
  return changes.map((change) => ({
    path: pathText(change.path).slice(folder.length),
    kind: change.old_mode === GONE ? 'added' : change.mode === GONE ? 'removed' : 'changed',
    diff: shownDiff(change, texts.get(change)),
  }));
}

function shownDiff(change: Change, text: string | undefined): FileChange['diff'] {
  const withheld = (reason: string): FileChange['diff'] => ({ kind: 'withheld', reason });
  if (isRepositoryLink(change)) return withheld('a git repository of its own');
  if (!isUtf8(change.path)) return withheld('unusual name');
  if (text === undefined || text.length > MAX_DIFF_CHARACTERS) return withheld('too long');
  return text.includes('\0') ? withheld('binary') : { kind: 'text', text: decode(text) };
}

const decode = (raw: string): string => Buffer.from(raw, 'latin1').toString('utf8');

/** Git gets paths as arguments here, which are UTF-8. */
const isUtf8 = (raw: string): boolean => rawPath(pathText(raw)) === raw;

/** The changes whose text git may compare. */
async function smallChanges(place: Place, changes: readonly Change[]): Promise<Change[]> {
  const files = changes.filter((change) => !isRepositoryLink(change) && isUtf8(change.path));
  const sizes = await objectSizes(
    place,
    files.flatMap(({ hash, old_hash }) => [hash, old_hash]),
  );
  const small: Change[] = [];
  let left = MAX_TOTAL_BYTES;
  for (const change of files) {
    const bytes = (sizes.get(change.hash) ?? 0) + (sizes.get(change.old_hash) ?? 0);
    if (small.length === MAX_FILES || bytes > Math.min(left, MAX_FILE_BYTES)) continue;
    left -= bytes;
    small.push(change);
  }
  return small;
}

type Comparison = { from: string; to: string; folder: string };

/** `--text`: an attribute that an agent wrote must not hide its work from a review. */
const PATCH = ['-r', '-p', ...TEXT_ONLY, '--text', '--no-renames', '--src-prefix=a/', '--dst-prefix=b/'];
const PLAIN_NAMES = {
  GIT_CONFIG_COUNT: '1',
  GIT_CONFIG_KEY_0: 'core.quotePath',
  GIT_CONFIG_VALUE_0: 'false',
};

/** The diff of each change, as one character a byte. */
async function readTexts(
  place: Place,
  { from, to, folder }: Comparison,
  changes: readonly Change[],
): Promise<ReadonlyMap<Change, string>> {
  if (changes.length === 0) return new Map();
  const within = folder === '' ? [] : [`--relative=${folder}`];
  const paths = changes.map(({ path }) => `:(top,literal)${pathText(path)}`);
  const { stdout } = await withEmptyIndex(place, (own) =>
    git({ ...own, overrides: { ...own.overrides, ...PLAIN_NAMES } }, [
      'diff-tree',
      ...PATCH,
      ...within,
      from,
      to,
      '--',
      ...paths,
    ]),
  );
  // Every other line of a diff begins with a sign, so no file can forge this one.
  const parts = stdout.split(/(?<=\n)(?=diff --git )/);
  // In the order of the changes; of a file that became a link git removes one and adds the other.
  return new Map(changes.map((change) => [change, parts.splice(0, isOtherType(change) ? 2 : 1).join('')]));
}

const isOtherType = ({ mode, old_mode }: Change): boolean =>
  mode !== GONE && old_mode !== GONE && mode.slice(0, 2) !== old_mode.slice(0, 2);

/** How a text differs from a file; null if it does not. */
export async function diffFromFile(place: Place, file: string, text: string): Promise<string | null> {
  const compare = ['diff', ...TEXT_ONLY, '--no-index', '--', file, '-'];
  const input = Buffer.from(text, 'utf8').toString('latin1');
  const options = { input, answers: [1] };
  const { stdout } =
    findGit(place.root) === null
      ? await git(place, compare, options)
      : await withEmptyIndex(place, (own) => git(own, compare, options));
  return stdout === '' ? null : decode(stdout);
}
