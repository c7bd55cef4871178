// Puts a judged tree on the trunk as one commit, by compare-and-swap.
import { NO_WORK, type Work } from '../../domain/sessions/gate.ts';
import { withIdentity } from '../commits/identity.ts';
import { commitTree, type Signing } from '../commits/signing.ts';
import { git, hasObject, rememberCommit, treeOfCommit } from '../git/git.ts';
import { holdingOffGc } from '../git/hold-off-gc.ts';
import type { Place } from '../git/own-git.ts';
import { moveTrunk, readRef, type Trunk } from './trunk.ts';

type LandInput = {
  tip: string;
  tree: string;
  message: string;
  signing: Signing | null;
  /** The same commit without a signature, if there is one already. */
  commit?: string | null;
  onUnsigned(reason: string): void;
};

/** With the person's name, and their signature where they sign. */
export async function makeCommit(
  repository: Place,
  {
    parents,
    tree,
    message,
    signing,
    commit: made = null,
    onUnsigned,
  }: Omit<LandInput, 'tip'> & { parents: readonly string[] },
): Promise<string> {
  const commit =
    made !== null && signing === null
      ? made
      : await commitTree(await withIdentity(repository), { tree, parents, message }, signing, onUnsigned);
  rememberCommit(commit, { tree, parent: parents[0] ?? '' });
  return commit;
}

/** Null if the trunk has moved since the gates judged. */
export async function landCommit(
  repository: Place,
  trunk: Trunk | Pick<Trunk, 'ref'>,
  { tip, tree, message, signing, commit: made = null, onUnsigned }: LandInput,
): Promise<string | null> {
  return holdingOffGc(repository, async () => {
    const parents = [tip];
    const commit = await makeCommit(repository, {
      tree,
      parents,
      message,
      signing,
      commit: made,
      onUnsigned,
    });
    const isMoved = await moveTrunk(repository, trunk, {
      from: tip,
      to: commit,
      reason: 'land a proven task',
    });
    return isMoved ? commit : null;
  });
}

/**
 * The commit on the trunk with this trailer; null if there is none. It tells after a crash whether the work has landed. No agent
 * can forge it: only Ralph moves the trunk, and its messages hold no other trailers.
 */
export async function findLanded(
  repository: Place,
  { ref }: Pick<Trunk, 'ref'>,
  trailer: string,
  base: string | null,
  /** Looks at the trunks of other branches, too: the person may have switched branches since a run was killed. */
  { everywhere = false }: { everywhere?: boolean } = {},
): Promise<string | null> {
  const tip = await readRef(repository, ref);
  if (!everywhere && (tip === null || tip === base)) return null;
  const isKnown = base !== null && (await hasObject(repository, base));
  const [key = '', value = ''] = trailer.split(': ');
  const { stdout } = await git(repository, [
    'log',
    `--format=%H %(trailers:key=${key},valueonly,separator=%x20)`,
    '--fixed-strings',
    `--grep=${trailer}`,
    ...(everywhere || tip === null ? ['--glob=refs/heads/ralph/*'] : []),
    ...(tip === null ? [] : [tip]),
    ...(isKnown ? [`^${base}`] : []),
    '--',
  ]);
  const found = stdout.split('\n').find((line) => line.split(' ').slice(1).includes(value));
  return found?.split(' ')[0] ?? null;
}

export async function landedWork(repository: Place, commit: string): Promise<Work> {
  const diff_stat = await diffStat(repository, '--root', commit);
  return { ...NO_WORK, commit, tree_hash: await treeOfCommit(repository, commit), diff_stat };
}

/** Of a commit, or between two trees. Null if git fails: what has landed stays landed. */
export async function diffStat(repository: Place, ...between: string[]): Promise<Work['diff_stat']> {
  const asked = ['diff-tree', '--no-commit-id', '--shortstat', ...between];
  const found = await git(repository, asked).catch(() => null);
  if (found === null) return null;
  const count = (word: string): number => Number(new RegExp(`(\\d+) ${word}`).exec(found.stdout)?.[1] ?? 0);
  return { files: count('file'), insertions: count('insertion'), deletions: count('deletion') };
}
