// Takes the work tree as a git tree. Every file that .gitignore does not name is in the tree, or listed as left out.
import { constants } from 'node:fs';
import { access, lstat, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { type Git, GitFailed, git, gitLine, headCommit, treeOfCommit } from './git.ts';
import { findGit } from './git-directory.ts';
import { findLastTake, rememberTake, type Take } from './last-take.ts';
import { type Place, withHeadIndex, withLastIndex } from './own-git.ts';
import { isRalphs, pathBytes, pathText } from './raw-path.ts';
import { changesBetween, GONE } from './tree-changes.ts';

/** A path that a tree cannot hold, and why. */
export type LeftOut = { path: string; why: 'repository' | 'size' | 'unreadable'; bytes: number };

export type TakenTree = {
  tree: string;
  /** HEAD while the tree was taken. Absent in records of older versions. */
  head?: string | null;
  /** Sorted by path. */
  left_out: readonly LeftOut[];
  /** The trees of checked-out submodules: the tree itself holds only the commit of each. */
  submodules: Readonly<Record<string, string>>;
};

/** Git hosts refuse larger files, and git itself needs minutes and much memory for them. */
export const MAX_FILE_MB = 100;

/** Many large files take long to read; a minute is enough for everything else. */
const ADD_TIMEOUT_MS = 600_000;

/** A person who commits while Ralph looks is rare; one who does so five times is a loop. */
const MAX_TRIES = 5;

/**
 * Null without git. `known`: a tree taken before; its files stay in the tree even if .gitignore names them by now. Tree and HEAD
 * belong together: otherwise a person's commit in between would look like the session's work.
 */
export async function takeTree(place: Place, known?: string): Promise<TakenTree | null> {
  const found = findGit(place.root);
  if (found === null) return null;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const head = await headCommit(place);
    const { tree, left_out } = await treeAndRest(place, found.worktree, known);
    const submodules = await submoduleTrees(place, found.worktree);
    if ((await headCommit(place)) === head) return { tree, head, left_out, submodules };
  }
  throw new GitFailed(
    'The branch moved each time Ralph looked at the work tree; wait until no one else commits here.',
  );
}

/** Whether nothing has changed since the last takeTree here: it costs one git process instead of four. */
export const isAsLastTaken = (place: Place): Promise<boolean> =>
  withLastIndex(place, async (own) => (await changedPaths(own, place)).length === 0, false);

type TreeAndRest = Pick<TakenTree, 'tree' | 'left_out'>;

async function treeAndRest(place: Place, worktree: string, known?: string): Promise<TreeAndRest> {
  const head = await headCommit(place);
  const last = await findLastTake(place, head);
  const isHeld = last !== null && (known === undefined || last.holds.includes(known));
  const taken = isHeld ? await takeSince(place, worktree, { ...last, head }) : null;
  return taken ?? takeWhole(place, worktree, head, known);
}

/** Null if the files that have changed since the last take may decide about others. */
const takeSince = (place: Place, worktree: string, last: Take): Promise<TreeAndRest | null> =>
  withLastIndex<TreeAndRest | null>(
    place,
    async (own, index, replace) => {
      const changed = await changedPaths(own, place);
      if (changed.length === 0) return { tree: last.tree, left_out: [] };
      if (changed.some((path) => /(^|\/)\.git(ignore|attributes)$/.test(path))) return null;
      const { isUpdated, isWhole, left_out } = await updateIndex(own, worktree, changed);
      if (!isUpdated) return { tree: last.tree, left_out };
      const tree = await gitLine(own, ['write-tree']);
      if (isWhole) rememberTake(place, index, { ...last, tree });
      await replace();
      return { tree, left_out };
    },
    null,
  );

async function takeWhole(
  place: Place,
  worktree: string,
  head: string | null,
  known?: string,
): Promise<TreeAndRest> {
  const added = known === undefined ? [] : await addedPaths(place, head, known);
  return withHeadIndex(place, head, async (own, index) => {
    const changed = await changedPaths(own, place);
    const hidden = await existingPaths(worktree, added, changed);
    const { isUpdated, isWhole, left_out } = await updateIndex(own, worktree, [...changed, ...hidden]);
    // Otherwise the index still holds HEAD.
    const tree = isUpdated ? await gitLine(own, ['write-tree']) : await treeOfCommit(place, head);
    // A file that .gitignore names by now is in the tree only for this caller.
    if (hidden.length === 0 && isWhole)
      rememberTake(place, index, { tree, head, holds: known === undefined ? [] : [known] });
    return { tree, left_out };
  });
}

type UpdatedIndex = {
  isUpdated: boolean;
  /** Whether it still holds every path that it held. A later take would miss one that comes back as an ignored file. */
  isWhole: boolean;
  left_out: readonly LeftOut[];
};

async function updateIndex(own: Git, worktree: string, paths: readonly string[]): Promise<UpdatedIndex> {
  const { kept, gone, left_out } = await sortPaths(worktree, paths);
  const there = await existingPaths(worktree, kept, []);
  const update = (some: readonly string[], ...how: string[]) =>
    git(own, ['update-index', '-z', ...how, '--stdin'], {
      input: some.map((path) => `${path}\0`).join(''),
      timeoutMs: ADD_TIMEOUT_MS,
    });
  if (gone.length > 0) await update(gone, '--force-remove');
  if (kept.length > 0) await update(kept, '--add', '--remove', '--replace');
  const isWhole = gone.length + left_out.length === 0 && there.length === kept.length;
  return { isUpdated: gone.length + kept.length > 0, isWhole, left_out };
}

/** Paths that a tree has and HEAD has not. */
async function addedPaths(place: Place, head: string | null, tree: string): Promise<string[]> {
  const changes = await changesBetween(place, await treeOfCommit(place, head), tree);
  return changes.filter(({ old_mode }) => old_mode === GONE).map(({ path }) => path);
}

async function existingPaths(
  worktree: string,
  paths: readonly string[],
  known: readonly string[],
): Promise<string[]> {
  const rest = new Set(paths);
  for (const path of known) rest.delete(path);
  const found: string[] = [];
  for (const path of rest) {
    const there = await lstat(inTree(worktree, path)).catch(() => null);
    if (there?.isFile() || there?.isSymbolicLink()) found.push(path);
  }
  return found;
}

/** Only paths of the project, which may be a folder of the repository. Excludes Ralph's own files, which belong to the person. */
async function changedPaths(own: Git, place: Place): Promise<string[]> {
  const below = relative(own.root, place.root);
  const { stdout } = await git(own, [
    'ls-files',
    '-z',
    '--others',
    '--modified',
    '--exclude-standard',
    ...(below === '' ? [] : ['--', `:(top,literal)${below}`]),
  ]);
  return [...new Set(stdout.split('\0').slice(0, -1))].filter((path) => !isRalphs(path)).sort();
}

/** Tells files that a tree can hold from those that are gone, and from those that it cannot hold. */
export async function sortPaths(
  worktree: string,
  paths: readonly string[],
): Promise<{ kept: string[]; gone: string[]; left_out: LeftOut[] }> {
  const kept: string[] = [];
  const gone: string[] = [];
  const left_out: LeftOut[] = [];
  for (const path of paths) {
    const why = await whyLeftOut(worktree, path);
    if (why !== null) left_out.push(why);
    else if (await isNoFile(worktree, path)) gone.push(path);
    else kept.push(path);
  }
  return { kept, gone, left_out };
}

/** A FIFO in the place of a file, or a path behind a link: git refuses to read either. */
async function isNoFile(worktree: string, path: string): Promise<boolean> {
  for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) {
    const folder = await lstat(inTree(worktree, path.slice(0, at))).catch(() => null);
    if (folder?.isSymbolicLink()) return true;
  }
  const found = await lstat(inTree(worktree, path)).catch(() => null);
  return found !== null && !found.isFile() && !found.isDirectory() && !found.isSymbolicLink();
}

async function whyLeftOut(worktree: string, path: string): Promise<LeftOut | null> {
  // Git lists a folder only if it is a nested repository: added, it would be a link to nothing.
  if (path.endsWith('/')) return { path: path.slice(0, -1), why: 'repository', bytes: 0 };
  const file = inTree(worktree, path);
  const found = await lstat(file).catch(() => null);
  if (!found?.isFile()) return null;
  if (found.size > MAX_FILE_MB * 2 ** 20) return { path, why: 'size', bytes: found.size };
  const isReadable = await access(file, constants.R_OK).then(
    () => true,
    () => false,
  );
  return isReadable ? null : { path, why: 'unreadable', bytes: found.size };
}

const inTree = (worktree: string, path: string): Buffer =>
  Buffer.concat([Buffer.from(`${worktree}/`), pathBytes(path)]);

async function submoduleTrees(place: Place, worktree: string): Promise<Record<string, string>> {
  const trees: Record<string, string> = {};
  for (const path of await submodulePaths(place, worktree)) {
    const root = join(worktree, pathText(path));
    // A submodule that is not checked out is empty.
    if (findGit(root)?.worktree !== root) continue;
    trees[path] = (await treeAndRest({ ...place, root }, root)).tree;
  }
  return trees;
}

async function submodulePaths(place: Place, worktree: string): Promise<string[]> {
  const file = join(worktree, '.gitmodules');
  const text = await readFile(file, 'utf8').catch(() => '');
  if (!text.includes('path')) return [];
  const listed = await git(
    place,
    ['config', '-z', '--file', file, '--get-regexp', '^submodule\\..*\\.path$'],
    {
      answers: [1],
    },
  );
  const paths = listed.stdout.split('\0').flatMap((entry) => entry.split('\n')[1] ?? []);
  return paths
    .filter((path) => path !== '' && !path.split('/').includes('..') && !path.startsWith('/'))
    .sort();
}
