// Brings the person's branch and checkout forward to the trunk, and never touches a file that the person has changed.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { GitFailed, git, gitLine, withoutFilters } from '../git/git.ts';
import { currentBranch, findGit, type GitPlace, listWorktrees } from '../git/git-directory.ts';
import type { Place } from '../git/own-git.ts';
import { pathText } from '../git/raw-path.ts';
import { changesBetween } from '../git/tree-changes.ts';
import { followedRef, moveRef, readRef, type Trunk, trunkStanding } from './trunk.ts';

export type Following =
  | { kind: 'followed'; commit: string; commits: number }
  | { kind: 'waits'; commits: number; reason: string }
  | { kind: 'nothing' };

/** `isAsked`: the person wants it now (`ralph land`), even if they moved the branch back before. */
export async function followTrunk(
  repository: Place,
  trunk: Trunk,
  { isAsked = false }: { isAsked?: boolean } = {},
): Promise<Following> {
  const standing = await trunkStanding(repository, trunk);
  if (standing.kind !== 'branch_behind') return { kind: 'nothing' };
  const { tip, branch } = standing;
  const commits = Number(await gitLine(repository, ['rev-list', '--count', `${branch}..${tip}`]));
  const waits = (reason: string): Following => ({ kind: 'waits', commits, reason });
  const before = await readRef(repository, followedRef(trunk));
  if (!isAsked && before !== null && before !== branch && (await isBehind(repository, branch, before)))
    return waits(
      `You moved ${trunk.branch} back behind ralph/${trunk.branch}. Bring it forward with ralph land, or drop the commits with git branch -f ralph/${trunk.branch} ${trunk.branch}.`,
    );
  const checkout = findCheckout(repository, trunk);
  if (checkout !== null) {
    const busy = operationIn(checkout);
    if (busy !== null) return waits(`Finish the ${busy} in ${checkout.worktree}, then run ralph land.`);
    const problem = await moveCheckout({ ...repository, root: checkout.worktree }, branch, tip);
    if (problem !== null) return waits(problem);
  }
  const reason = `bring ${trunk.branch} to ralph/${trunk.branch}`;
  if (!(await moveRef(repository, trunk.branchRef, { from: branch, to: tip, reason })))
    return waits(`${trunk.branch} moved meanwhile; run ralph land.`);
  await git(repository, ['update-ref', followedRef(trunk), tip]);
  return { kind: 'followed', commit: tip, commits };
}

async function isBehind(repository: Place, older: string, newer: string): Promise<boolean> {
  const { code } = await git(repository, ['merge-base', '--is-ancestor', older, newer], {
    answers: [1, 128],
  });
  return code === 0;
}

/** The work tree in which the branch is checked out; null if there is none. */
function findCheckout(repository: Place, { branchRef }: Trunk): GitPlace | null {
  const found = findGit(repository.root);
  if (found === null) return null;
  for (const worktree of listWorktrees(found)) {
    const place = existsSync(worktree) ? findGit(worktree) : null;
    if (place !== null && (currentBranch(place) === branchRef || isRebasing(place, branchRef))) return place;
  }
  return null;
}

/** During a rebase HEAD is detached, but its end moves the branch. */
const isRebasing = ({ gitDir }: GitPlace, branchRef: string): boolean =>
  ['rebase-merge', 'rebase-apply'].some(
    (folder) => readName(join(gitDir, folder, 'head-name')) === branchRef,
  );

function readName(file: string): string | null {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return null;
  }
}

const OPERATIONS = [
  ['rebase-merge', 'rebase'],
  ['rebase-apply', 'rebase'],
  ['MERGE_HEAD', 'merge'],
  ['CHERRY_PICK_HEAD', 'cherry-pick'],
  ['REVERT_HEAD', 'revert'],
  ['BISECT_LOG', 'bisect'],
] as const;

const operationIn = ({ gitDir }: GitPlace): string | null =>
  OPERATIONS.find(([name]) => existsSync(join(gitDir, name)))?.[1] ?? null;

/**
 * Moves index and files of the checkout from one commit to the other; null if it did. Git itself refuses if a file that differs
 * has changes of the person, staged or not, or if a file of theirs is in the way; then nothing has moved.
 */
async function moveCheckout(checkout: Place, from: string, to: string): Promise<string | null> {
  const own = await withoutFilters(checkout);
  const quiet = { ...own, env: { ...own.env } };
  try {
    // Git takes a file for changed if only its times differ, until it has looked at it again.
    await git(quiet, ['update-index', '-q', '--refresh'], { answers: [1] });
    await git(quiet, ['read-tree', '-m', '-u', from, to]);
    return null;
  } catch (error) {
    if (!(error instanceof GitFailed)) throw error;
    const files = await dirtyFiles(checkout, from, to);
    return files.length === 0
      ? `Git could not update your checkout (${error.message}) Run ralph land again.`
      : `Commit or stash ${listed(files)}, then run ralph land.`;
  }
}

const MAX_NAMED = 3;

const listed = (files: readonly string[]): string =>
  files.length <= MAX_NAMED
    ? files.join(', ')
    : `${files.slice(0, MAX_NAMED).join(', ')} and ${files.length - MAX_NAMED} more`;

/** Files that the person has changed and that would have to change. */
async function dirtyFiles(checkout: Place, from: string, to: string): Promise<string[]> {
  const wanted = new Set((await changesBetween(checkout, from, to)).map(({ path }) => path));
  const own = await withoutFilters(checkout);
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
    .filter((path) => wanted.has(path))
    .map(pathText);
}
