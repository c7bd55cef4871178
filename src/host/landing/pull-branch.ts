// The branch of a pull request: proven work goes there by a push that expects the old head, and what others pushed there stays.
// Every session works on the branch merged with its target; that merge is what its gates judge. The tasks of a feature may share a
// branch: each continues from the tip of the branch.

import type { LandConfig } from '../../domain/config.ts';
import {
  type BranchOwner,
  branchPrefix,
  isPullBranch,
  type Proposal,
  pullBranch,
} from '../../domain/pull-requests/pull-request.ts';
import { MachineFailed } from '../../domain/refusal.ts';
import { NO_WORK, type Work } from '../../domain/sessions/gate.ts';
import { git, isAncestor, treeOfCommit } from '../git/git.ts';
import { holdingOffGc } from '../git/hold-off-gc.ts';
import type { Place } from '../git/own-git.ts';
import { dropRefs, workRef } from '../git/refs.ts';
import { noBranchText } from '../persons-branch/persons-commits.ts';
import type { Remote } from '../remote/remote.ts';
import { fetchBranch, listBranches, pushTip, type RemoteTip } from '../remote/remote-tip.ts';
import type { Destination, LandingPoint } from './destination.ts';
import { diffStat, findLanded, makeCommit } from './land-commit.ts';
import { mergeCommits } from './merge.ts';
import type { SlotClaim } from './slot-work.ts';
import { advanceTrunk, readRef, type Trunk } from './trunk.ts';
import { plainCommit } from './work-refs.ts';

/** The branch merged with its target, while a session works on it. */
const mergeRef = (task_id: number): string => `refs/ralph/pull/task-${task_id}`;

type PullBranchInput = {
  /** With a remote. */
  trunk: Trunk;
  per: LandConfig['per'];
  /** What the queue knows. `feature`: null for a branch of the task's own. */
  findBranch(task_id: number, feature: string | null): Promise<KnownBranch>;
  /** All sessions that the task has had; with a feature, those of all its tasks. */
  sessionsOf(task_id: number, feature: string | null): Promise<readonly string[]>;
  onUnsigned(reason: string): void;
};

export type KnownBranch = {
  /** Null if the queue knows none. */
  branch: string | null;
  /** Whether the task has pushed to it. */
  isOwn: boolean;
  /** Branches that the task must not build on: their pull request was closed, or they are another feature's. */
  avoided: readonly string[];
};

/** `isOwn`: whether the task has pushed to it. */
type Found = { branch: string; head: string | null; isOwn: boolean };

export function pullDestination(repository: Place, input: PullBranchInput): Destination {
  const { trunk, onUnsigned } = input;
  const { remote } = trunk;
  if (remote === null) throw new Error('A pull request needs a remote.');
  /** By task: where the last look found its branch. */
  const branches = new Map<number, Found>();
  const owner = ({ task: { id, title, feature } }: SlotClaim): BranchOwner => ({
    id,
    title,
    feature: input.per === 'feature' ? feature : null,
  });

  const place = (branch: string): RemoteTip => ({
    remote,
    target: `refs/heads/${branch}`,
    tracking: trackingRef(remote, branch),
  });
  const fetch = async (branch: string): Promise<string | null> =>
    fetchBranch(repository, place(branch), await readRef(repository, trunk.ref));

  /** A killed process may have pushed a branch that the queue does not know yet: its commits name a session of the task. */
  const search = async (live: SlotClaim, avoided: readonly string[]): Promise<Found> => {
    const { id, feature } = owner(live);
    const [own, all] = [new Set(await input.sessionsOf(id, null)), await input.sessionsOf(id, feature)];
    const listed = await listBranches(repository, remote, branchPrefix(owner(live)));
    const names = listed.filter((name) => isPullBranch(name, owner(live)));
    for (const branch of names.filter((name) => !avoided.includes(name))) {
      const head = await fetch(branch);
      if (head === null) continue;
      const pushed = await sessionsIn(repository, [head, `^${trunk.ref}`]);
      if (pushed.some((session) => all.includes(session)))
        return { branch, head, isOwn: pushed.some((session) => own.has(session)) };
    }
    const branch = pullBranch(owner(live));
    // Another queue may have a task with the same number and title, or a feature with the same name.
    const isFree = !names.includes(branch) && !avoided.includes(branch);
    const suffix = isFree ? '' : `-${live.session.id.slice(0, 8)}`;
    return { branch: `${branch}${suffix}`, head: null, isOwn: false };
  };

  const find = async (live: SlotClaim): Promise<Found> => {
    const { id, feature } = owner(live);
    const { branch, isOwn, avoided } = await input.findBranch(id, feature);
    const found =
      branch === null ? await search(live, avoided) : { branch, head: await fetch(branch), isOwn };
    branches.set(id, found);
    return found;
  };

  const branchName = (live: SlotClaim): string =>
    branches.get(live.task.id)?.branch ?? pullBranch(owner(live));

  /** `below`: what a task of a feature was judged on; the size of another one is that of the whole pull request. */
  const describe = async (
    live: SlotClaim,
    commit: string,
    { below = `${commit}^`, isNew = false } = {},
  ): Promise<Work> => {
    const { feature } = owner(live);
    const proposal: Proposal = {
      ...{ branch: branchName(live), base: trunk.branch, head: commit },
      ...{ feature, isNew },
    };
    const from = feature === null ? await readRef(repository, trunk.ref) : below;
    const size = from === null ? null : await diffStat(repository, from, commit);
    const tree_hash = await treeOfCommit(repository, commit);
    return { ...NO_WORK, tree_hash, diff_stat: size, proposal };
  };

  return {
    point: async (live): Promise<LandingPoint> => {
      const standing = await advanceTrunk(repository, trunk);
      if (standing.kind === 'no_branch') throw new MachineFailed(noBranchText(trunk));
      const { tip: target } = standing;
      const { head, isOwn } = await find(live);
      const plain = { from: head, clean: target, conflicts: [] };
      if (head === null || (await isAncestor(repository, head, target)))
        return { ...plain, tip: target, parents: [target] };
      if (await isAncestor(repository, target, head)) return { ...plain, tip: head, parents: [head] };
      const { tip, conflicts } = await mergeHead(repository, live.task.id, head, target);
      // A task that adds to the branch has no part in this conflict: GitHub shows it, and a task of the branch resolves it.
      if (conflicts.length > 0 && !isOwn) return { ...plain, tip: head, parents: [head] };
      return { ...plain, tip, parents: [head, target], conflicts };
    },
    find: async (live, isRecovery) => {
      if (isRecovery) await find(live);
      const found = branches.get(live.task.id);
      if (found === undefined) return null;
      const { session } = live;
      const ref = trackingRef(remote, found.branch);
      return findLanded(repository, { ref }, `Ralph-Session: ${session.id}`, session.base_commit);
    },
    land: async (live, { point, tree, ...made }) => {
      const { from, parents, tip, clean } = point;
      const isNothing = tree === (await treeOfCommit(repository, tip));
      const { isOwn = false } = branches.get(live.task.id) ?? {};
      if (isNothing && (tip === clean || !isOwn)) return { ...NO_WORK, tree_hash: tree };
      if (from !== null && tree === (await treeOfCommit(repository, from))) return describe(live, from);
      return holdingOffGc(repository, async () => {
        const commit = await makeCommit(repository, { ...made, tree, parents, onUnsigned });
        if (!(await pushTip(repository, place(branchName(live)), { from, to: commit }))) return null;
        // The branch holds it now. A later session must not merge an older state of it in again.
        await dropRefs(repository, [workRef(live.task.id)]);
        return describe(live, commit, { below: tip, isNew: from === null });
      });
    },
    describe: (live, commit) => describe(live, commit),
  };
}

const trackingRef = ({ name }: Remote, branch: string): string => `refs/remotes/${name}/${branch}`;

/** Those that the trailers of the commits name. */
async function sessionsIn(repository: Place, range: readonly string[]): Promise<string[]> {
  const format = '--format=%(trailers:key=Ralph-Session,valueonly,separator=%x20)';
  const { stdout } = await git(repository, ['log', '--max-count=200', format, ...range, '--']);
  return stdout.split(/\s+/);
}

/** The same commit as long as both sides are the same: sessions and gates compare with it. It is never pushed. */
async function mergeHead(
  repository: Place,
  task_id: number,
  head: string,
  target: string,
): Promise<{ tip: string; conflicts: readonly string[] }> {
  return holdingOffGc(repository, async () => {
    const { tree, conflicts } = await mergeCommits(repository, head, target);
    const ref = mergeRef(task_id);
    const known = await readRef(repository, ref);
    if (known !== null && (await readParents(repository, known)) === `${head} ${target}`)
      return { tip: known, conflicts };
    const message = `Work on task ${task_id}, merged\n`;
    const tip = await plainCommit(repository, { tree, parents: [head, target], message });
    await git(repository, ['update-ref', ref, tip]);
    return { tip, conflicts };
  });
}

const readParents = async (repository: Place, commit: string): Promise<string> =>
  (await git(repository, ['show', '--no-patch', '--format=%P', commit])).stdout.trim();
