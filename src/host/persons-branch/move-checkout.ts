// Moves index and files of the person's checkout from one commit to another, and never a file that the person has changed.
import { lstatSync, type Stats } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { setImmediate as otherWork } from 'node:timers/promises';
import { type Git, GitFailed, git, treeOfCommit } from '../git/git.ts';
import { type Place, treeWith } from '../git/own-git.ts';
import { withoutFilters } from '../git/persons-settings.ts';
import { pathBytes, pathText } from '../git/raw-path.ts';
import { type Change, changesBetween, formatEntry, GONE } from '../git/tree-changes.ts';

/**
 * Null if it did; otherwise what a person has to do first, and nothing has moved. Git itself refuses if a file that differs has
 * changes of the person, staged or not, or if an untracked file of theirs is in the way. It would overwrite an ignored one.
 */
export async function moveCheckout(checkout: Place, from: string, to: string): Promise<string | null> {
  const own = await withoutFilters(checkout);
  // By their trees: the session that landed has compared those already.
  const [before, after] = [await treeOfCommit(checkout, from), await treeOfCommit(checkout, to)];
  const changes = await changesBetween(checkout, before, after);
  const untracked = await findUntracked(own, changes);
  if (untracked.length === 0) {
    const failure = await readTree(own, from, to);
    if (failure === null) return null;
    const dirty = await dirtyFiles(own, changes);
    if (dirty.length === 0)
      return `Git could not update your checkout (${failure.message}) Run ralph land again.`;
    return (await completeMove(own, changes, dirty, { from, to })) ? null : waitsFor(dirty);
  }
  const dirty = [...new Set([...untracked, ...(await dirtyFiles(own, changes))])].sort();
  return (await completeMove(own, changes, dirty, { from, to })) ? null : waitsFor(dirty);
}

/**
 * Undoes `moveCheckout`: its files are as it left them, unless a person was faster. Then git refuses, and only those go back that the
 * person has neither changed nor committed: the others would look like changes that they staged.
 */
export async function moveCheckoutBack(checkout: Place, from: string, to: string): Promise<void> {
  const own = await withoutFilters(checkout);
  if ((await readTree(own, to, from)) === null) return;
  const [before, after] = [await treeOfCommit(checkout, from), await treeOfCommit(checkout, to)];
  const touched = new Set([
    ...(await listNames(own, ['diff-index', '--cached', after])),
    ...(await listNames(own, ['diff-files'])),
  ]);
  const left = (await changesBetween(checkout, before, after)).filter(({ path }) => !touched.has(path));
  await readTree(own, await treeWith(checkout, before, left.map(formatEntry).join('')), before);
}

async function listNames(own: Git, [command = '', ...args]: readonly string[]): Promise<string[]> {
  const { stdout } = await git(own, [command, '--name-only', '-z', ...args]);
  return stdout.split('\0').filter(Boolean);
}

async function readTree(own: Git, from: string, to: string): Promise<GitFailed | null> {
  const move = (): Promise<unknown> => git(own, ['read-tree', '-m', '-u', from, to]);
  try {
    await move().catch(async (error: unknown) => {
      if (!(error instanceof GitFailed)) throw error;
      // Git takes a file for changed if only its times differ, until it has looked at it again.
      await git(own, ['update-index', '-q', '--refresh'], { answers: [1] });
      await move();
    });
    return null;
  } catch (error) {
    if (!(error instanceof GitFailed)) throw error;
    return error;
  }
}

/** Files in the way of new ones, ignored or not. Git knows about those that are staged. */
export async function findUntracked(own: Git, changes: readonly Change[]): Promise<string[]> {
  const removed = new Set(changes.filter(({ mode }) => mode === GONE).map(({ path }) => path));
  const found = new Set<string>();
  const added = changes.filter(({ old_mode }) => old_mode === GONE);
  for (const [index, { path }] of added.entries()) {
    if (index % FILES_A_TURN === FILES_A_TURN - 1) await otherWork();
    for (const file of await filesAt(own.root, path)) if (!removed.has(file)) found.add(file);
  }
  if (found.size === 0) return [];
  const { stdout } = await git(own, ['ls-files', '-z']);
  for (const path of stdout.split('\0')) found.delete(path);
  return [...found].sort();
}

/** The file at this path or at a folder of it, or all files below it. */
async function filesAt(root: string, path: string): Promise<string[]> {
  for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) {
    const folder = path.slice(0, at);
    const found = statsAt(root, folder);
    if (found === null) return [];
    if (!found.isDirectory()) return [folder];
  }
  return filesBelow(root, path);
}

async function filesBelow(root: string, path: string): Promise<string[]> {
  const found = statsAt(root, path);
  if (found === null) return [];
  if (!found.isDirectory()) return [path];
  const names = await readdir(inFolder(root, path), { encoding: 'latin1' });
  return (await Promise.all(names.map((name) => filesBelow(root, `${path}/${name}`)))).flat();
}

/** Synchronous: the next session is prepared meanwhile, and a thread would wait for its turn at each file. */
function statsAt(root: string, path: string): Stats | null {
  try {
    return lstatSync(inFolder(root, path), { throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}

/** Others get their turn after so many. */
const FILES_A_TURN = 2_000;

const inFolder = (root: string, path: string): Buffer =>
  Buffer.concat([Buffer.from(`${root}/`), pathBytes(path)]);

/** Files that the person has changed and that would have to change. */
async function dirtyFiles(own: Git, changes: readonly Change[]): Promise<string[]> {
  const wanted = new Set(changes.map(({ path }) => path));
  const { stdout } = await git(own, [
    'status',
    '--porcelain=v1',
    '-z',
    '--untracked-files=all',
    '--no-renames',
  ]);
  return stdout
    .split('\0')
    .map((entry) => entry.slice(3))
    .filter((path) => wanted.has(path));
}

/**
 * A crash may have left files of the new commit with the index of the old one. If that is all that is in the way, the index
 * learns about them and the move goes on. False if it cannot.
 */
async function completeMove(
  own: Git,
  changes: readonly Change[],
  dirty: readonly string[],
  { from, to }: { from: string; to: string },
): Promise<boolean> {
  const made = changes.filter(({ path, mode }) => dirty.includes(path) && /^100/.test(mode));
  if (made.length < dirty.length || !(await areWritten(own, made))) return false;
  const staged = await git(own, ['diff-index', '--cached', '--name-only', '-z', from]);
  const isStaged = new Set(staged.stdout.split('\0'));
  if (made.some(({ path }) => isStaged.has(path))) return false;
  const input = made.map(formatEntry).join('');
  await git(own, ['update-index', '-z', '--index-info'], { input });
  if ((await readTree(own, from, to)) === null) return true;
  const back = made.map(({ path, old_mode, old_hash }) =>
    formatEntry({ path, mode: old_mode, hash: old_hash }),
  );
  await git(own, ['update-index', '-z', '--index-info'], { input: back.join('') });
  return false;
}

/** Whether each file has its new content already. */
async function areWritten(own: Git, changes: readonly Change[]): Promise<boolean> {
  for (const { path } of changes) {
    const found = statsAt(own.root, path);
    if (!found?.isFile() || path.includes('\n')) return false;
  }
  const input = changes.map(({ path }) => `${path}\n`).join('');
  const { stdout } = await git(own, ['hash-object', '--stdin-paths'], { input });
  return stdout.trim() === changes.map(({ hash }) => hash).join('\n');
}

const MAX_NAMED = 3;

function waitsFor(paths: readonly string[]): string {
  const files = paths.map(pathText);
  const named = files.slice(0, MAX_NAMED).join(', ');
  const more = files.length > MAX_NAMED ? ` and ${files.length - MAX_NAMED} more` : '';
  return `Commit or stash ${named}${more}, then run ralph land.`;
}
