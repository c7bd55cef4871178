// The trunk is the branch on which Ralph lands work: `ralph/main` for the person's branch `main`, or that branch on the remote where
// several machines meet. It moves only by compare-and-swap, so no landing ever overwrites another.
import { Refusal } from '../../domain/refusal.ts';
import { GitFailed, git, isKnownChild } from '../git/git.ts';
import { commitAt, currentBranch, findGit } from '../git/git-directory.ts';
import type { Place } from '../git/own-git.ts';
import type { Remote } from '../remote/remote.ts';
import { fetchTip, pushTip, type RemoteTip } from '../remote/remote-tip.ts';

export type Trunk = {
  /** The person's branch, such as `main`. */
  branch: string;
  /** Such as `refs/heads/main`. */
  branchRef: string;
  /** Such as `refs/heads/ralph/main`; of a remote, what this repository knows of it, such as `refs/remotes/origin/main`. */
  ref: string;
  /** As people call it: `ralph/main`, or `origin/main`. */
  name: string;
  /** Null if this machine works alone. */
  remote: Remote | null;
};

const HEADS = 'refs/heads/';

/** `chosen`: `land.branch` of the configuration; otherwise the branch of the checkout. */
export function findTrunk(repository: Place, chosen: string | null, remote: Remote | null = null): Trunk {
  const found = findGit(repository.root);
  const current = found === null ? null : currentBranch(found);
  const branchRef = chosen === null ? current : `${HEADS}${chosen}`;
  if (branchRef === null || !branchRef.startsWith(HEADS))
    throw new Refusal(
      'HEAD is on no branch, so Ralph does not know where to land work; switch to a branch with git switch, or name one as land.branch in .ralph/config.yaml.',
    );
  const branch = branchRef.slice(HEADS.length);
  const name = `${remote?.name ?? 'ralph'}/${branch}`;
  const ref = remote === null ? `${HEADS}${name}` : `refs/remotes/${name}`;
  return { branch, branchRef, ref, name, remote };
}

const remoteTip = (remote: Remote, { branchRef, ref }: Trunk): RemoteTip => ({
  remote,
  target: branchRef,
  tracking: ref,
});

/** False if the trunk is not at `from` any more. */
export const moveTrunk = (
  repository: Place,
  trunk: Trunk | Pick<Trunk, 'ref'>,
  { from, to, reason }: { from: string; to: string; reason: string },
): Promise<boolean> =>
  'remote' in trunk && trunk.remote !== null
    ? pushTip(repository, remoteTip(trunk.remote, trunk), { from, to })
    : moveRef(repository, trunk.ref, { from, to, reason });

/** The commit of a ref; null if there is none. */
export async function readRef(repository: Place, ref: string): Promise<string | null> {
  const found = findGit(repository.root);
  const known = found === null ? null : commitAt(found, ref);
  if (known !== undefined) return known;
  const { code, stdout } = await git(repository, ['rev-parse', '--verify', '--quiet', `${ref}^{commit}`], {
    answers: [1],
  });
  return code === 0 ? stdout.trim() : null;
}

type RefMove = {
  from: string | null;
  to: string;
  reason: string;
  /** A ref of Ralph's own that moves with it, wherever it is. */
  also?: { ref: string; to: string };
};

/** False if the ref is not at `from` any more. A killed git may have moved it before it failed, so the ref decides. */
export async function moveRef(
  repository: Place,
  ref: string,
  { from, to, reason, also }: RefMove,
): Promise<boolean> {
  try {
    const input = [
      `update ${ref} ${to} ${from ?? '0'.repeat(to.length)}`,
      ...(also === undefined ? [] : [`update ${also.ref} ${also.to}`]),
    ];
    await git(repository, ['update-ref', '--create-reflog', '-m', `ralph: ${reason}`, '--stdin'], {
      input: Buffer.from(input.map((line) => `${line}\n`).join('')),
    });
    return true;
  } catch (error) {
    const now = await readRef(repository, ref);
    if (now === to) return true;
    if (now === from) throw error;
    return false;
  }
}

/** The last commit of the branch on which Ralph built the trunk: a branch without it was moved back or rewritten by a person. */
export const followedRef = ({ branch }: Trunk): string => `refs/ralph/followed/${branch}`;

/** How the person's branch stands to the trunk. `diverged`: both have commits that the other lacks. */
export type Standing =
  | {
      kind: 'same' | 'branch_behind' | 'branch_ahead' | 'diverged';
      tip: string;
      branch: string;
      /** Commits of the trunk that the branch lacks. */
      landed: number;
    }
  | { kind: 'no_branch' };

/**
 * Makes the trunk if there is none, and takes in a person's commits that are on top of it or replace it. A trunk on a remote is
 * fetched: there a person's commits count once they pushed them.
 */
export async function advanceTrunk(repository: Place, trunk: Trunk): Promise<Standing> {
  if (trunk.remote !== null) {
    const known = await readRef(repository, trunk.ref);
    const tip = await fetchTip(repository, remoteTip(trunk.remote, trunk), known);
    return { kind: 'same', tip, branch: tip, landed: 0 };
  }
  const MAX_TRIES = 5;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const standing = await trunkStanding(repository, trunk);
    if (standing.kind === 'no_branch') return standing;
    const { kind, tip, branch } = standing;
    if (kind === 'same' && (await readRef(repository, followedRef(trunk))) !== tip)
      await git(repository, ['update-ref', followedRef(trunk), tip]);
    if (kind === 'branch_ahead') {
      await requireFreeName(repository, trunk);
      await startFrom(repository, trunk, branch, tip === branch ? null : tip);
    } else if (kind === 'diverged' && (await readRef(repository, followedRef(trunk))) === tip)
      // The branch had all of the trunk and has not any more: a merge would bring back what the person replaced.
      await startFrom(repository, trunk, branch, tip);
    else return standing;
  }
  throw new GitFailed(`${trunk.branch} moved each time Ralph looked at it; wait until no one else commits.`);
}

/** The person's branch becomes the trunk. Both refs at once: whoever amends in between would get both versions. */
const startFrom = (
  repository: Place,
  trunk: Trunk,
  branch: string,
  from: string | null,
): Promise<boolean> => {
  const also = { ref: followedRef(trunk), to: branch };
  return moveRef(repository, trunk.ref, { from, to: branch, reason: `follow ${trunk.branch}`, also });
};

/** `branch_ahead` with `tip` equal to `branch`: there is no trunk yet. */
export async function trunkStanding(repository: Place, trunk: Trunk): Promise<Standing> {
  const [tip, branch] = [await readRef(repository, trunk.ref), await readRef(repository, trunk.branchRef)];
  if (branch === null) return { kind: 'no_branch' };
  if (tip === null) return { kind: 'branch_ahead', tip: branch, branch, landed: 0 };
  if (tip === branch) return { kind: 'same', tip, branch, landed: 0 };
  const { own, landed } = await countApart(repository, branch, tip);
  const kind = landed === 0 ? 'branch_ahead' : own === 0 ? 'branch_behind' : 'diverged';
  return { kind, tip, branch, landed };
}

/** `own`: commits that only `branch` has. `landed`: commits that only `tip` has. */
export async function countApart(
  repository: Place,
  branch: string,
  tip: string,
): Promise<{ own: number; landed: number }> {
  if (isKnownChild(branch, tip)) return { own: 0, landed: 1 };
  const { stdout } = await git(repository, ['rev-list', '--left-right', '--count', `${branch}...${tip}`]);
  const [own = 0, landed = 0] = stdout.trim().split(/\s+/).map(Number);
  return { own, landed };
}

/** Git cannot have both a branch `ralph` and a branch `ralph/main`. */
async function requireFreeName(repository: Place, { branch }: Trunk): Promise<void> {
  if ((await readRef(repository, `${HEADS}ralph`)) !== null)
    throw new Refusal(
      `Ralph lands work on the branch ralph/${branch}, but there is a branch ralph; rename it with git branch -m ralph OTHER.`,
    );
}
