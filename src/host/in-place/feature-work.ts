// The commit of a whole feature, and its entry in the progress file.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { MachineFailed } from '../../domain/refusal.ts';
import { NO_WORK, type Work } from '../../domain/sessions/gate.ts';
import { type FeatureWork, progressEntry } from '../../domain/tasks/feature.ts';
import { entryMessage, featureMessage } from '../commits/messages.ts';
import { progressPath, treeWithEntry } from '../commits/progress-entry.ts';
import { readSigning } from '../commits/signing.ts';
import { treeOfCommit } from '../git/git.ts';
import { changesBetween, GONE } from '../git/tree-changes.ts';
import { findLanded } from '../landing/land-commit.ts';
import { leave, readLeft, requireTree } from './checkout.ts';
import { type CommitRules, putOnBranch } from './commit-work.ts';
import { moveFiles } from './move-files.ts';
import { branchNow, branchRef } from './session-record.ts';

/** The tree with the feature's entry; the same tree if it gets none. */
export async function withEntry(
  { checkout: { place }, config: { progress_file: file } }: Pick<CommitRules, 'checkout' | 'config'>,
  feature: FeatureWork,
  tree: string,
): Promise<string> {
  const next = file === null ? null : await treeWithEntry(place, tree, file, progressEntry(feature));
  if (file === null || next === null) return tree;
  const [change] = await changesBetween(place, tree, next);
  // A file that git ignores is not Ralph's to commit.
  return change?.old_mode === GONE && existsSync(join(place.root, file)) ? tree : next;
}

/** For a feature that no session finishes now: a person skipped its last task, or its tasks have commits already. */
export async function commitFinished(
  rules: CommitRules & { uncommittedTasks(): Promise<readonly number[]> },
  feature: FeatureWork,
): Promise<Work> {
  const { checkout, config } = rules;
  const { place } = checkout;
  const isWork = feature.sessions.length > 0;
  if (config.commit === 'never' || (!isWork && config.progress_file === null)) return NO_WORK;
  const record = { branch: branchNow(place), submodules: {} };
  const trailer = isWork ? `Ralph-Session: ${feature.last.id}` : `Ralph-Progress: ${feature.last.id}`;
  const landedCommit = await findLanded(place, { ref: branchRef(record) }, trailer, feature.last.base_commit);
  const { tree: now, head } = await requireTree(place);
  /** The file in the checkout gets the entry unless it differs from the one before the commit. */
  const show = async (before: string): Promise<void> => {
    if (!(await isChanged(before))) await moveFiles(place, now, await withEntry(rules, feature, now));
  };
  const path = config.progress_file === null ? null : progressPath(place, config.progress_file);
  const isChanged = async (before: string): Promise<boolean> =>
    (await changesBetween(place, before, now)).some((change) => change.path === path);
  if (landedCommit !== null) {
    await show(await treeOfCommit(place, `${landedCommit}^`));
    return { ...NO_WORK, commit: landedCommit };
  }
  const left = await readLeft(place);
  if (isWork && left?.base !== head)
    throw new MachineFailed('HEAD has moved since its work was proven; commit the rest of it yourself.');
  const from = isWork && left !== null ? left.tree : await treeOfCommit(place, head);
  if (await isChanged(from))
    throw new MachineFailed(`${config.progress_file} has changes that are not committed.`);
  const tree = await withEntry(rules, feature, from);
  const others = isWork ? await rules.uncommittedTasks() : [];
  const message = isWork
    ? featureMessage(feature, config.commit_message, others)
    : entryMessage(feature, config.commit_message);
  const signing = await readSigning(place);
  const work = { head, base: from, tree, record: { ...record, head }, signing };
  const { commit } = await putOnBranch(rules, work, head, message);
  if (commit === null) return NO_WORK;
  await show(from);
  // Work of other features stays in the checkout.
  if (!isWork && left !== null) await leave(place, await withEntry(rules, feature, left.tree), commit);
  return { ...NO_WORK, commit, tree_hash: tree, covers: others };
}
