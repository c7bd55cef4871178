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
  const folder = below === '' ? '' : rawPath(`${below}/`);
  const changes = (await changesBetween(place, from, to)).filter(({ path }) => path.startsWith(folder));
  const small = await smallChanges(place, changes);
  const texts = await readTexts(place, from, to, small);
  return changes.map((change) => ({
    path: pathText(change.path.slice(folder.length)),
    kind: change.old_mode === GONE ? 'added' : change.mode === GONE ? 'removed' : 'changed',
    diff: shownDiff(change, texts.get(change.path)),
  }));
}

function shownDiff(change: Change, text: string | undefined): FileChange['diff'] {
  const withheld = (reason: string): FileChange['diff'] => ({ kind: 'withheld', reason });
  if (isRepositoryLink(change)) return withheld('a git repository of its own');
  if (text === undefined || text.length > MAX_DIFF_CHARACTERS) return withheld('too long');
  return text.includes('\0') ? withheld('binary') : { kind: 'text', text: decode(text) };
}

const decode = (raw: string): string => Buffer.from(raw, 'latin1').toString('utf8');

/** The changes whose text git may compare. A path that is not UTF-8 or holds a line feed cannot be matched to its text. */
async function smallChanges(place: Place, changes: readonly Change[]): Promise<Change[]> {
  const files = changes.filter(
    (change) =>
      !isRepositoryLink(change) &&
      !change.path.includes('\n') &&
      rawPath(pathText(change.path)) === change.path,
  );
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

/** The diff of each path, as one character a byte. */
async function readTexts(
  place: Place,
  from: string,
  to: string,
  changes: readonly Change[],
): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  if (changes.length === 0) return texts;
  // `--text`: an attribute that an agent wrote must not hide its work from a review. `-z`: no path is quoted.
  const how = [...TEXT_ONLY, '--text', '--no-renames', '-z', '--src-prefix=a/', '--dst-prefix=b/'];
  const paths = changes.map(({ path }) => `:(top,literal)${pathText(path)}`);
  const { stdout } = await withEmptyIndex(place, (own) =>
    git(own, ['diff-tree', '-r', '-p', ...how, from, to, '--', ...paths]),
  );
  // Every other line of a diff begins with a sign, so no file can forge this one.
  for (const text of stdout.split(/(?<=\n)(?=diff --git )/)) {
    const path = headerPath(text.slice(0, text.indexOf('\n')));
    // A file that became a link has two parts.
    texts.set(path, (texts.get(path) ?? '') + text);
  }
  return texts;
}

/** Without renames both names in it are the same: `diff --git a/NAME b/NAME`. */
function headerPath(header: string): string {
  const names = header.slice('diff --git '.length);
  return names.slice('a/'.length, (names.length - 1) / 2);
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
  return stdout === '' ? null : decode(stdout);
}
