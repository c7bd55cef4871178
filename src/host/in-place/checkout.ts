// The person's checkout as the place of a session. A session begins only in a clean one: then everything that differs
// afterwards is its work.
import { basename } from 'node:path';
import type { Config } from '../../domain/config.ts';
import { MachineFailed } from '../../domain/refusal.ts';
import { git, headCommit, parentOfCommit, rememberCommit, treeOfCommit } from '../git/git.ts';
import { holdingOffGc } from '../git/hold-off-gc.ts';
import { ownFolder } from '../git/own-folder.ts';
import type { Place } from '../git/own-git.ts';
import { pathText } from '../git/raw-path.ts';
import { dropRefs, holdCommit } from '../git/refs.ts';
import { changesBetween } from '../git/tree-changes.ts';
import { takeTree } from '../git/work-tree.ts';
import { readRef } from '../landing/trunk.ts';
import { plainCommit, type WorkCommit } from '../landing/work-refs.ts';
import { allEnded } from '../processes/all-ended.ts';
import { exemptPaths } from './exempt.ts';
import { completeIndex, stagedApart } from './index-entries.ts';
import { moveFiles } from './move-files.ts';

export type Checkout = {
  place: Place;
  policy: Config['commit'];
  /** Files that Ralph writes itself, from the top of the repository: they are in no commit. */
  ownFiles: readonly string[];
};

/** `base`: the commit that a session starts from, whose tree is the checkout as it is. */
export type Standing = { kind: 'clean'; base: string } | { kind: 'dirty'; files: readonly string[] };

/** Cleans the checkout itself if all that is in it is work that a ref holds. */
export async function lookAtCheckout(checkout: Checkout): Promise<Standing> {
  const standing = await compare(checkout);
  if (standing.kind === 'clean' || !(await removeSavedWork(checkout))) return standing;
  return compare(checkout);
}

const compare = (checkout: Checkout): Promise<Standing> =>
  holdingOffGc(checkout.place, async () => {
    const { place, policy } = checkout;
    const before = await headCommit(place);
    const [{ tree, head, left_out }, found] = await allEnded([
      requireTree(place),
      before === null ? [] : completeIndex(place, before),
    ]);
    const index = before === head ? found : await completeIndex(place, head);
    const differing = async (from: string): Promise<string[]> => {
      const changes = await changesBetween(place, from, tree);
      const exempt = await exemptPaths(checkout, changes);
      return changes.flatMap(({ path }) => (exempt.has(path) ? [] : [pathText(path)]));
    };
    const headTree = await treeOfCommit(place, head);
    const left = keepsWork(policy) ? await readLeft(place) : null;
    // The usual case comes first: Ralph left the checkout as it is.
    const fromLeft = left === null ? null : await differing(left.tree);
    const fromHead = fromLeft?.length === 0 ? [] : await differing(headTree);
    const changed = fromHead.length === 0 ? [] : (fromLeft ?? fromHead);
    const staged = await stagedApart(place, index, tree);
    const files = [
      ...new Set([...left_out.map(({ path }) => path), ...staged].map(pathText).concat(changed)),
    ];
    if (files.length > 0) return { kind: 'dirty', files };
    return { kind: 'clean', base: tree === headTree ? head : await leave(place, tree, head) };
  });

export async function requireTree(
  place: Place,
  known?: string,
): Promise<NonNullable<Awaited<ReturnType<typeof takeTree>>> & { head: string }> {
  const taken = await takeTree(place, known);
  if (taken === null || taken.head === null || taken.head === undefined)
    throw new MachineFailed('the repository has no commit any more.');
  return { ...taken, head: taken.head };
}

/** Whether proven work stays uncommitted in the checkout. */
const keepsWork = (policy: Config['commit']): boolean => policy === 'never' || policy === 'feature';

/** One for each work tree: they share the refs. */
const leftRef = (place: Place): string => `refs/ralph/left/${basename(ownFolder(place))}`;

/** The checkout as Ralph left it, as a commit on top of HEAD: what differs from HEAD is proven, or not Ralph's to commit. */
export async function readLeft(place: Place): Promise<WorkCommit | null> {
  const commit = await readRef(place, leftRef(place));
  if (commit === null) return null;
  const base = await parentOfCommit(place, commit);
  return { commit, tree: await treeOfCommit(place, commit), base };
}

/** Returns the commit that a session starts from. */
export async function leave(place: Place, tree: string, head: string): Promise<string> {
  const left = await readLeft(place);
  if (left?.tree === tree && left.base === head) return left.commit;
  const message = 'The checkout as Ralph left it\n';
  const commit = await plainCommit(place, { tree, parents: [head], message });
  rememberCommit(commit, { tree, parent: head });
  await holdCommit(place, leftRef(place), commit);
  return commit;
}

export const dropLeft = (place: Place): Promise<void> => dropRefs(place, [leftRef(place)]);

/** A killed run left its work in the checkout, whole or partly written. False if the checkout has other changes, too. */
async function removeSavedWork({ place }: Checkout): Promise<boolean> {
  const { stdout } = await git(place, ['for-each-ref', '--format=%(objectname)', 'refs/ralph/task-*']);
  const { tree } = await requireTree(place);
  for (const commit of stdout.split('\n').filter(Boolean)) {
    const base = await treeOfCommit(place, `${commit}^`);
    const others = new Set((await changesBetween(place, base, tree)).map(({ path }) => path));
    const unsaved = await changesBetween(place, await treeOfCommit(place, commit), tree);
    if (others.size > 0 && !unsaved.some(({ path }) => others.has(path))) return moveFiles(place, tree, base);
  }
  return false;
}

const MAX_NAMED = 3;

export function dirtyText(files: readonly string[]): string {
  const named = files.slice(0, MAX_NAMED).join(', ');
  const more = files.length > MAX_NAMED ? ` and ${files.length - MAX_NAMED} more` : '';
  return `A session in place needs a clean checkout, and these files are not committed: ${named}${more}. Commit or stash them, or name them in .gitignore if a gate makes them; or run without --in-place.`;
}
