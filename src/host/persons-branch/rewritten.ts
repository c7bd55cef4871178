// Finds out whether a person replaced commits that the trunk has taken in: by an amend, a rebase, or a reset and a new commit. A
// merge would bring back what they replaced.
import { RALPH } from '../commits/identity.ts';
import { git, isAncestor, isKnownChild } from '../git/git.ts';
import type { Place } from '../git/own-git.ts';
import { followedRef, readRef, type Standing, type Trunk } from '../landing/trunk.ts';

export type LandedCommit = {
  commit: string;
  parents: readonly string[];
  author: { name: string; email: string; date: string };
  message: string;
};

export type Rewritten = {
  /** The newest commit of the trunk that holds nothing replaced; null if the branch no longer has the last one that both had. */
  sound: string | null;
  /** What landed after it and is not on the branch, the oldest first. */
  landed: readonly LandedCommit[];
};

/** Null if they replaced nothing. What others replace on a remote is not for Ralph to decide. */
export async function findRewritten(
  repository: Place,
  trunk: Trunk,
  standing: Standing,
): Promise<Rewritten | null> {
  if (standing.kind !== 'diverged' || trunk.remote !== null) return null;
  const { tip, branch } = standing;
  const met = await readRef(repository, followedRef(trunk));
  if (met === null || !(await isAncestor(repository, met, tip))) return null;
  const chain = await readChain(repository, met, tip);
  const onBranch = await trailersBetween(repository, tip, branch);
  const isDouble = (one: LandedCommit): boolean => trailersOf(one).some((trailer) => onBranch.has(trailer));
  const landedFrom = (start: number): readonly LandedCommit[] =>
    chain.slice(start).filter((one) => !isOwnMerge(one) && !isDouble(one));
  if (!(await isAncestor(repository, met, branch))) return { sound: null, landed: landedFrom(0) };
  for (const [nth, one] of chain.entries()) {
    const isReplaced = isOwnMerge(one)
      ? !(await isAncestor(repository, takenIn(one), branch))
      : isDouble(one);
    if (isReplaced) return { sound: one.parents[0] ?? met, landed: landedFrom(nth) };
  }
  return null;
}

/** The newest commit of the branch that the trunk has; null if that is not known. */
export async function newestTaken(
  repository: Place,
  trunk: Trunk,
  { tip, branch }: { tip: string; branch: string },
): Promise<string | null> {
  const met = await readRef(repository, followedRef(trunk));
  if (met === null || trunk.remote !== null || isKnownChild(branch, tip)) return met;
  if (!(await isAncestor(repository, met, tip))) return met;
  const merge = (await readChain(repository, met, tip)).findLast(isOwnMerge);
  return merge === undefined ? met : takenIn(merge);
}

/** Ralph's merges of the branch. A person who merges on the trunk does so under their own name. */
const isOwnMerge = ({ parents, author }: LandedCommit): boolean =>
  parents.length === 2 && author.email === RALPH.GIT_AUTHOR_EMAIL;

const takenIn = ({ parents }: LandedCommit): string => parents[1] ?? '';

const FIELDS = ['%H', '%P', '%an', '%ae', '%ad', '%B'];

/** What Ralph has put on the trunk since both were the same, the oldest first. */
async function readChain(repository: Place, from: string, to: string): Promise<LandedCommit[]> {
  const { stdout } = await git(repository, [
    'log',
    '--first-parent',
    '--reverse',
    '--date=raw',
    '-z',
    `--format=${FIELDS.join('%x00')}`,
    `${from}..${to}`,
    '--',
  ]);
  const parts = Buffer.from(stdout, 'latin1').toString('utf8').split('\0');
  return Array.from({ length: Math.floor(parts.length / FIELDS.length) }, (_, nth) => {
    const [commit = '', parents = '', name = '', email = '', date = '', message = ''] = parts.slice(
      nth * FIELDS.length,
    );
    return { commit, parents: parents.split(' '), author: { name, email, date }, message };
  });
}

/** They tell which work a commit is, whoever has put it there again under another hash. */
const TRAILER = /^Ralph-(?:Session|Progress): \S+$/gm;

const trailersOf = ({ message }: Pick<LandedCommit, 'message'>): string[] => message.match(TRAILER) ?? [];

async function trailersBetween(repository: Place, from: string, to: string): Promise<ReadonlySet<string>> {
  const { stdout } = await git(repository, ['log', '--grep=^Ralph-', '--format=%B', `${from}..${to}`, '--']);
  return new Set(trailersOf({ message: stdout }));
}
