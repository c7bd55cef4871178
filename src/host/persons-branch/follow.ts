// Brings the person's branch and checkout forward to the trunk, and never touches a file that the person has changed.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { git, headCommit, treeOfCommit } from '../git/git.ts';
import { currentBranch, findGit, type GitPlace, listWorktrees } from '../git/git-directory.ts';
import type { Place } from '../git/own-git.ts';
import { changesBetween } from '../git/tree-changes.ts';
import { followedRef, moveRef, type Trunk, trunkStanding } from '../landing/trunk.ts';
import { whileLocked } from '../processes/lock-file.ts';
import { moveCheckout, moveCheckoutBack } from './move-checkout.ts';
import { findRewritten, newestTaken } from './rewritten.ts';

export type Following =
  | { kind: 'followed'; commit: string; commits: number }
  | { kind: 'waits'; commits: number; reason: string }
  | { kind: 'nothing' };

/** `isAsked`: the person wants it now (`ralph land`), even if they moved the branch back before. */
export const followTrunk = (
  repository: Place,
  trunk: Trunk,
  { isAsked = false }: { isAsked?: boolean } = {},
): Promise<Following> =>
  // One process at a time: a second one that fails half-way would take back what the first has moved.
  whileLocked(join(repository.stateDir, 'follow.lock'), () => moveForward(repository, trunk, isAsked));

async function moveForward(repository: Place, trunk: Trunk, isAsked: boolean): Promise<Following> {
  const standing = await trunkStanding(repository, trunk);
  if (standing.kind !== 'branch_behind' && standing.kind !== 'diverged') return { kind: 'nothing' };
  const { tip, branch, landed: commits } = standing;
  const waits = (reason: string): Following => ({ kind: 'waits', commits, reason });
  if (standing.kind === 'diverged') {
    const rewritten = await findRewritten(repository, trunk, standing);
    if (rewritten !== null)
      return rewritten.landed.length === 0
        ? { kind: 'nothing' }
        : { kind: 'waits', commits: rewritten.landed.length, reason: rewrittenText(trunk) };
    return waits(
      trunk.remote === null
        ? `${trunk.branch} has commits of yours that ${trunk.name} lacks. The next ralph run takes them in; or merge yourself with git merge ${trunk.name}.`
        : `${trunk.branch} has commits of yours that ${trunk.name} lacks. Merge with git merge ${trunk.name}, then share them with git push ${trunk.remote.name} ${trunk.branch}.`,
    );
  }
  const before = await newestTaken(repository, trunk, standing);
  if (!isAsked && before !== null && before !== branch && (await isBehind(repository, branch, before)))
    return waits(
      `You moved ${trunk.branch} back behind ${trunk.name}. Bring it forward with ralph land${trunk.remote === null ? `, or drop the commits with git branch -f ${trunk.name} ${trunk.branch}` : ''}.`,
    );
  const found = findCheckout(repository, trunk);
  const checkout = found === null ? null : { ...repository, root: found.worktree };
  if (found !== null && checkout !== null) {
    const busy = operationIn(found);
    if (busy !== null) return waits(`Finish the ${busy} in ${found.worktree}, then run ralph land.`);
    const problem = await moveCheckout(checkout, branch, tip);
    if (problem !== null) return waits(problem);
  }
  const reason = `bring ${trunk.branch} to ${trunk.name}`;
  let isMoved = false;
  try {
    const also = { ref: followedRef(trunk), to: tip };
    isMoved = await moveRef(repository, trunk.branchRef, { from: branch, to: tip, reason, also });
  } finally {
    // Without its branch, the landed work would look like changes that the person staged.
    if (!isMoved && checkout !== null) await moveCheckoutBack(checkout, branch, tip);
  }
  if (!isMoved) return waits(`${trunk.branch} moved meanwhile; run ralph land.`);
  const problem = await meetSwitch(repository, trunk, { before: checkout, from: branch, to: tip });
  if (problem !== null) return waits(problem);
  return { kind: 'followed', commit: tip, commits };
}

/**
 * A person may have switched branches between the look at HEAD and the move. Then the files of the branch are moved only now, or
 * those of another branch go back. Null if all is well; otherwise what the person has to do first, and the branch is as before.
 */
async function meetSwitch(
  repository: Place,
  trunk: Trunk,
  { before, from, to }: { before: Place | null; from: string; to: string },
): Promise<string | null> {
  const found = findCheckout(repository, trunk);
  if (before?.root === found?.worktree) return null;
  if (before !== null && (await hasCarried(before, from, to))) await moveCheckoutBack(before, from, to);
  if (found === null) return null;
  const problem = await moveCheckout({ ...repository, root: found.worktree }, from, to);
  if (problem === null) return null;
  const also = { ref: followedRef(trunk), to: from };
  await moveRef(repository, trunk.branchRef, { from: to, to: from, reason: 'wait for the checkout', also });
  return problem;
}

/**
 * Whether the person switched before the branch moved: then git took the landed files along, as changes of theirs. It does so only
 * onto a commit that has these files as they were. After the move they belong to the commit that the person is on.
 */
async function hasCarried(checkout: Place, from: string, to: string): Promise<boolean> {
  const head = await headCommit(checkout);
  if (head === null) return false;
  const before = await treeOfCommit(checkout, from);
  const landed = await changesBetween(checkout, before, await treeOfCommit(checkout, to));
  const own = await changesBetween(checkout, before, await treeOfCommit(checkout, head));
  const changed = new Set(own.map(({ path }) => path));
  return landed.every(({ path }) => !changed.has(path));
}

/** A merge would bring back what they replaced. */
const rewrittenText = ({ branch, name }: Trunk): string =>
  `You replaced commits of ${branch} that work on ${name} builds on. The next ralph run puts that work on top of the new ones.`;

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
