// What a session did to the work tree, as trees and commits. Nothing of the repository is executed: no hook, no filter.
import { copyFile, mkdir, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { NO_WORK, type Work } from '../domain/gate.ts';
import { Refusal } from '../domain/refusal.ts';
import { type Git, gitEnd, gitText, headCommit, withoutFilters } from './git.ts';
import { findGit } from './git-place.ts';
import { newIndexIn } from './scratch.ts';

/** The tree of everything that is not ignored, as it lies in the work tree now; null without git. */
export async function treeOf(git: Git, scratch: string): Promise<string | null> {
  return withIndex(await withoutFilters(git), scratch, async (indexed) => {
    // Ralph's own files are a person's: no session's work ever holds them. Where they are ignored git complains of being told so, with 1, and adds the rest.
    // So it does, with --ignore-errors, where a repository within this one has no commit yet.
    const add = ['add', '--all', '--ignore-errors', '--', '.', ':(exclude,glob).ralph/**'];
    const { code, stderr } = await gitEnd(indexed, add);
    if (code !== 0 && code !== 1)
      throw new Refusal(
        `Git cannot read this work tree (${firstLine(stderr)}); look at git status, and run ralph again.`,
      );
    return oneLine(await gitText(indexed, ['write-tree']));
  });
}

/** What somebody did to the tree: between these two, and nothing else. */
export type Span = { from: string; to: string };

export type CommitInput = {
  /** The session whose commit it is: it has one, however often it is asked for. */
  session_id: string;
  /** Where HEAD was when it began: a commit of it can only have come since. */
  base_commit: string | null;
  /** The tree that was judged, where there is one: what came into the work tree since is not part of it. */
  proven?: string | null;
  message: string;
  /** Only the paths that these changed go in, as they are now. */
  spansUpTo: (tree: string) => Promise<readonly Span[]>;
};

/** One commit with the session's work, however often it is asked for; no commit where nothing changed. */
export async function commitWork(given: Git, scratch: string, input: CommitInput): Promise<Work> {
  const git = await withoutFilters(given);
  const tree_hash = input.proven ?? (await treeOf(git, scratch));
  const known = await commitOf(git, input);
  if (known !== null) {
    await tellIndex(git, known);
    return { ...NO_WORK, commit: known, tree_hash, diff_stat: await diffStat(git, known) };
  }
  if (tree_hash === null) return NO_WORK;
  const entries = await entriesOf(git, await input.spansUpTo(tree_hash), tree_hash);
  if (entries === '') return { ...NO_WORK, tree_hash };
  await requireUnfiltered(git, entries);
  const commit = await makeCommit(git, scratch, entries, input.message);
  // The work tree holds all of it already; the index is told, so that nothing looks changed.
  await gitText(git, ['update-index', '-z', '--index-info'], entries);
  // And looks at its files once: otherwise every later look would read all that was ever committed this way.
  await gitText(git, ['update-index', '-q', '--refresh']);
  return { ...NO_WORK, commit, tree_hash, diff_stat: await diffStat(git, commit) };
}

/** What is stored encrypted, or elsewhere, must not be stored as it lies in the work tree. */
async function requireUnfiltered(git: Git, entries: string): Promise<void> {
  const { filters = [] } = git;
  if (filters.length === 0) return;
  const paths = entries.split('\0').flatMap((entry) => entry.split('\t')[1] ?? []);
  const listed = await gitText(git, ['check-attr', '-z', '--stdin', 'filter'], `${paths.join('\0')}\0`);
  const words = (listed ?? '').split('\0');
  for (let index = 0; index + 2 < words.length; index += 3)
    if (filters.includes(words[index + 2] ?? ''))
      throw new Refusal(
        `${words[index]} is stored through the filter "${words[index + 2]}", which Ralph does not run: commit it yourself, or set commit to agent or never.`,
      );
}

/** What the spans changed, as `update-index --index-info` reads it. */
async function entriesOf(git: Git, spans: readonly Span[], tree: string): Promise<string> {
  const [only, ...more] = spans;
  if (only === undefined) return '';
  if (more.length === 0 && only.to === tree) return changedEntries(git, only.from, tree);
  const paths = new Set<string>();
  for (const { from, to } of spans)
    for (const { path } of await changesBetween(git, from, to)) paths.add(path);
  const head = await headCommit(git);
  const base = head === null ? await emptyTree(git) : `${head}^{tree}`;
  const changes = await changesBetween(git, base, tree);
  return changes
    .filter(({ path }) => paths.has(path))
    .map(entryOf)
    .join('');
}

const emptyTree = async (git: Git): Promise<string> =>
  oneLine(await gitText(git, ['hash-object', '-t', 'tree', '--stdin'])) ?? '';

/** Whoever made the commit may have died before the index was told of it. What a person has staged since is left alone. */
async function tellIndex(git: Git, commit: string): Promise<void> {
  const parent =
    oneLine(await gitText(git, ['rev-parse', '--verify', '--quiet', `${commit}^`])) ?? (await emptyTree(git));
  const staged = await gitText(git, ['diff-index', '--cached', '-z', '--name-only', '--no-renames', parent]);
  const touched = new Set((staged ?? '').split('\0'));
  const changes = (await changesBetween(git, parent, commit)).filter(({ path }) => !touched.has(path));
  const entries = changes.map(entryOf).join('');
  if (entries !== '') await gitText(git, ['update-index', '-z', '--index-info'], entries);
}

/** The commit that a session made before somebody died, found by its trailer. */
export async function commitOf(
  git: Git,
  { session_id, base_commit }: Pick<CommitInput, 'session_id' | 'base_commit'>,
): Promise<string | null> {
  if (base_commit !== null && (await headCommit(git)) === base_commit) return null;
  const args = ['log', '-1', '--format=%H', '--fixed-strings', `--grep=Ralph-Session: ${session_id}`];
  // The whole of a long history would be read for every task; only where the base is gone is that needed.
  const since = base_commit === null ? null : await gitText(git, [...args, `${base_commit}..HEAD`]);
  return oneLine(since ?? (await gitText(git, args)));
}

async function makeCommit(git: Git, scratch: string, entries: string, message: string): Promise<string> {
  const head = await headCommit(git);
  const tree = await withIndex(git, scratch, async (indexed) => {
    await gitText(indexed, ['read-tree', head ?? '--empty']);
    await gitText(indexed, ['update-index', '-z', '--index-info'], entries);
    return oneLine(await gitText(indexed, ['write-tree']));
  });
  const parent = head === null ? [] : ['-p', head];
  const named = await withIdentity(git);
  const commit =
    tree === null
      ? null
      : oneLine(await gitText(named, ['commit-tree', tree, ...parent, '-F', '-'], message));
  // Only if HEAD is where it was: somebody who committed meanwhile must not lose that.
  const moved = commit === null ? null : await gitText(git, ['update-ref', 'HEAD', commit, head ?? '']);
  if (commit === null || moved === null)
    throw new Refusal('Git could not commit the work; look at git status, and run ralph again.');
  return commit;
}

const changedEntries = async (git: Git, from: string, to: string): Promise<string> =>
  (await changesBetween(git, from, to)).map(entryOf).join('');

/** What is new or changed, with its new content; what is gone has the mode `000000`. */
export type Change = { path: string; mode: string; hash: string };

/** Of this project, or of another one below the same repository. */
const OWN = /(^|\/)\.ralph\//;

export async function changesBetween(git: Git, from: string, to: string): Promise<Change[]> {
  const listed = (await gitText(git, ['diff-tree', '-r', '-z', '--no-renames', from, to])) ?? '';
  const parts = listed.split('\0').slice(0, -1);
  const found: Change[] = [];
  for (let index = 0; index + 1 < parts.length; index += 2) {
    const [, mode = '', , hash = ''] = (parts[index] ?? '').slice(1).split(' ');
    found.push({ path: parts[index + 1] ?? '', mode, hash });
  }
  // A person may stage them meanwhile.
  return found.filter(({ path }) => !OWN.test(path));
}

/** As `update-index --index-info` reads it. */
export const entryOf = ({ mode, hash, path }: Change): string => `${mode} ${hash}\t${path}\0`;

async function diffStat(git: Git, commit: string): Promise<Work['diff_stat']> {
  const text = await gitText(git, ['show', '--shortstat', '--format=', commit]);
  const count = (word: string): number => Number(new RegExp(`(\\d+) ${word}`).exec(text ?? '')?.[1] ?? 0);
  return { files: count('file'), insertions: count('insertion'), deletions: count('deletion') };
}

/** Works on a copy of the index, so that what a person has staged stays as it is. */
export async function withIndex<T>(
  git: Git,
  scratch: string,
  work: (indexed: Git) => Promise<T>,
): Promise<T | null> {
  const place = findGit(git.root);
  if (place === null) return null;
  await mkdir(scratch, { recursive: true });
  const index = newIndexIn(scratch);
  await copyIndex(join(place.gitDir, 'index'), index).catch(() => rm(index, { force: true }));
  try {
    return await work({ ...git, env: { ...git.env, GIT_INDEX_FILE: index } });
  } finally {
    await rm(index, { force: true });
  }
}

/** A copy is only for speed: unchanged files need not be hashed again. Its age must be the original's, by which git tells files that it cannot be sure of. */
async function copyIndex(from: string, to: string): Promise<void> {
  const found = await stat(from);
  // A pipe would be waited for, and nobody writes into it.
  if (!found.isFile()) return;
  const { atime, mtime } = found;
  await copyFile(from, to);
  await utimes(to, atime, mtime);
}

/** Ralph as an author. */
export const RALPH = {
  GIT_AUTHOR_NAME: 'Ralph',
  GIT_AUTHOR_EMAIL: 'ralph@localhost',
  GIT_COMMITTER_NAME: 'Ralph',
  GIT_COMMITTER_EMAIL: 'ralph@localhost',
};

/** A machine without a name for its person still commits. */
async function withIdentity(git: Git): Promise<Git> {
  const known = oneLine(await gitText(git, ['config', 'user.email']));
  if (known !== null) return git;
  return { ...git, env: { ...RALPH, ...git.env } };
}

const firstLine = (text: string): string => text.trim().split('\n')[0]?.slice(0, 300) || 'no reason given';

const oneLine = (text: string | null): string | null => text?.trim().split('\n')[0] || null;
