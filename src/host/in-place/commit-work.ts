// What becomes of proven work, by the commit policy: a commit on the person's branch, or it stays in the checkout.
import type { Config } from '../../domain/config.ts';
import { MachineFailed, NeedsPerson } from '../../domain/refusal.ts';
import { NO_WORK, type Work } from '../../domain/sessions/gate.ts';
import type { FeatureWork } from '../../domain/tasks/feature.ts';
import type { Signing } from '../commits/signing.ts';
import { GitFailed, treeOfCommit } from '../git/git.ts';
import type { Place } from '../git/own-git.ts';
import { pathText } from '../git/raw-path.ts';
import { changesBetween } from '../git/tree-changes.ts';
import { landCommit, landedWork } from '../landing/land-commit.ts';
import { type Checkout, dropLeft, leave } from './checkout.ts';
import { treeToCommit } from './exempt.ts';
import { resetIndex } from './index-entries.ts';
import { branchRef, requireSameBranch, type SessionRecord } from './session-record.ts';

/** What gates judged. */
export type JudgedWork = {
  base: string;
  tree: string;
  /** HEAD at that moment. */
  head: string;
  record: SessionRecord;
  /** Null if the task gets no commit of its own. */
  message: string | null;
  signing: Signing | null;
  /** Other tasks whose uncommitted work is in the tree. */
  others: readonly number[];
};

export type CommitRules = {
  checkout: Checkout;
  config: Pick<Config, 'commit' | 'commit_message' | 'progress_file'>;
  onUnsigned(reason: string): void;
};

/** `feature`: complete with this task, so its work is committed now. */
export async function commitWork(
  rules: CommitRules,
  task_id: number,
  work: JudgedWork,
  feature: { work: FeatureWork; message: string; tree: string } | null,
): Promise<Work> {
  const { checkout, config } = rules;
  const head = await requireSameBranch(checkout.place, task_id, work.record);
  if (config.commit === 'agent') return findAgentCommit(checkout, task_id, work, head);
  if (feature !== null)
    return {
      ...(await putOnBranch(rules, { ...work, tree: feature.tree }, head, feature.message)),
      covers: [...feature.work.tasks.map(({ id }) => id), ...work.others],
    };
  if (work.message !== null)
    return { ...(await putOnBranch(rules, work, head, work.message)), covers: work.others };
  await keepInCheckout(checkout, work.tree, head);
  return { ...NO_WORK, tree_hash: work.tree };
}

/** With `commit: agent` the agent commits its work, and Ralph verifies that it did. */
async function findAgentCommit(
  checkout: Checkout,
  task_id: number,
  { base, tree, record }: JudgedWork,
  head: string,
): Promise<Work> {
  const { place } = checkout;
  const proven = await treeToCommit(checkout, { head, base, tree });
  const [open] = await changesBetween(place, await treeOfCommit(place, head), proven);
  if (open !== undefined)
    throw new NeedsPerson(
      `Task ${task_id} is proven with ${pathText(open.path)}, but the agent has not committed that, and "commit: agent" leaves it to the agent. Say what the agent should do, as the answer to this question; ralph diff ${task_id} shows the work.`,
    );
  return head === record.head ? { ...NO_WORK, tree_hash: tree } : landedWork(place, head);
}

/** One commit on top of HEAD, by compare-and-swap. None if it would be empty. */
export async function putOnBranch(
  { checkout, onUnsigned }: CommitRules,
  { head: judged, base, tree, record, signing }: Omit<JudgedWork, 'message' | 'others'>,
  head: string,
  message: string,
): Promise<Work> {
  const { place } = checkout;
  // The tree that the gates saw lacks what was committed since: a commit would undo it.
  if (judged !== head) throw new MachineFailed(MOVED);
  const committed = await treeToCommit(checkout, { head, base, tree });
  if (committed === (await treeOfCommit(place, head))) {
    await clearUp(place, head);
    // What the agent or a person has committed meanwhile is the work.
    return head === record.head ? { ...NO_WORK, tree_hash: committed } : landedWork(place, head);
  }
  const commit = await landCommit(
    place,
    { ref: branchRef(record) },
    { tip: head, tree: committed, message, signing, onUnsigned },
  );
  if (commit === null) throw new MachineFailed(MOVED);
  await clearUp(place, commit);
  return landedWork(place, commit);
}

const MOVED = 'the branch moved while the gates ran; the next session starts from there.';

/** If another git holds the index, Ralph brings it to HEAD before the next session. */
export async function clearUp(place: Place, commit: string): Promise<void> {
  try {
    await resetIndex(place, commit);
    await dropLeft(place);
  } catch (error) {
    if (!(error instanceof GitFailed)) throw error;
  }
}

async function keepInCheckout({ place }: Checkout, tree: string, head: string): Promise<void> {
  if (tree === (await treeOfCommit(place, head))) await dropLeft(place);
  else await leave(place, tree, head);
}
