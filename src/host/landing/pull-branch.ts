// The branch of a pull request: proven work goes there by a push that expects the old head, and what others pushed there stays.
// Every session of the task works on the branch merged with its target; that merge is what its gates judge.
import type { Proposal } from '../../domain/pull-requests/pull-request.ts';
import { isPullBranch, pullBranch, pullPrefix } from '../../domain/pull-requests/pull-request.ts';
import { MachineFailed } from '../../domain/refusal.ts';
import { NO_WORK, type Work } from '../../domain/sessions/gate.ts';
import { git, isAncestor, treeOfCommit } from '../git/git.ts';
import { holdingOffGc } from '../git/hold-off-gc.ts';
import type { Place } from '../git/own-git.ts';
import { dropRefs, workRef } from '../git/refs.ts';
import type { Remote } from '../remote/remote.ts';
import { fetchBranch, listBranches, pushTip, type RemoteTip } from '../remote/remote-tip.ts';
import type { Destination, LandingPoint } from './destination.ts';
import { diffStat, findLanded, makeCommit } from './land-commit.ts';
import { mergeCommits } from './merge.ts';
import { noBranchText } from './persons-commits.ts';
import type { SlotClaim } from './slot-work.ts';
import { advanceTrunk, readRef, type Trunk } from './trunk.ts';
import { plainCommit } from './work-refs.ts';

/** The branch merged with its target, while a session works on it. */
export const mergeRef = (task_id: number): string => `refs/ralph/pull/task-${task_id}`;

export type PullBranchInput = {
  /** With a remote. */
  trunk: Trunk;
  /** The branch that the queue knows for the task; null if it knows none. */
  knownBranch(task_id: number): Promise<string | null>;
  /** All sessions that the task has had. */
  sessionsOf(task_id: number): Promise<readonly string[]>;
  onUnsigned(reason: string): void;
};

type Found = { branch: string; head: string | null };

export function pullDestination(repository: Place, input: PullBranchInput): Destination {
  const { trunk, onUnsigned } = input;
  const { remote } = trunk;
  if (remote === null) throw new Error('A pull request needs a remote.');
  /** By task: where the last look found its branch. */
  const branches = new Map<number, string>();

  const place = (branch: string): RemoteTip => ({
    remote,
    target: `refs/heads/${branch}`,
    tracking: trackingRef(remote, branch),
  });
  const fetch = async (branch: string): Promise<string | null> =>
    fetchBranch(repository, place(branch), await readRef(repository, trunk.ref));

  /** A killed process may have pushed a branch that the queue does not know yet: its commits name a session of the task. */
  const search = async ({ task, session }: SlotClaim): Promise<Found> => {
    const sessions = new Set(await input.sessionsOf(task.id));
    const names = (await listBranches(repository, remote, pullPrefix(task.id))).filter((name) =>
      isPullBranch(name, task.id),
    );
    for (const branch of names) {
      const head = await fetch(branch);
      if (head !== null && (await isOfSessions(repository, [head, `^${trunk.ref}`], sessions)))
        return { branch, head };
    }
    const branch = pullBranch(task);
    // Another queue may have a task with the same number and title.
    return { branch: names.includes(branch) ? `${branch}-${session.id.slice(0, 8)}` : branch, head: null };
  };

  const find = async (live: SlotClaim): Promise<Found> => {
    const known = await input.knownBranch(live.task.id);
    const found = known === null ? await search(live) : { branch: known, head: await fetch(known) };
    branches.set(live.task.id, found.branch);
    return found;
  };

  const describe = async ({ task }: SlotClaim, commit: string): Promise<Work> => {
    const branch = branches.get(task.id) ?? pullBranch(task);
    const proposal: Proposal = { branch, base: trunk.branch, head: commit };
    const target = await readRef(repository, trunk.ref);
    const size = target === null ? null : await diffStat(repository, target, commit);
    const tree_hash = await treeOfCommit(repository, commit);
    return { ...NO_WORK, tree_hash, diff_stat: size, proposal };
  };

  return {
    point: async (live): Promise<LandingPoint> => {
      const standing = await advanceTrunk(repository, trunk);
      if (standing.kind === 'no_branch') throw new MachineFailed(noBranchText(trunk));
      const { tip: target } = standing;
      const { head } = await find(live);
      const plain = { from: head, clean: target, conflicts: [] };
      if (head === null || (await isAncestor(repository, head, target)))
        return { ...plain, tip: target, parents: [target] };
      if (await isAncestor(repository, target, head)) return { ...plain, tip: head, parents: [head] };
      const { tip, conflicts } = await mergeHead(repository, live.task.id, head, target);
      return { ...plain, tip, parents: [head, target], conflicts };
    },
    find: async (live, isRecovery) => {
      if (isRecovery) await find(live);
      const branch = branches.get(live.task.id);
      if (branch === undefined) return null;
      const { session } = live;
      const ref = trackingRef(remote, branch);
      return findLanded(repository, { ref }, `Ralph-Session: ${session.id}`, session.base_commit);
    },
    land: async (live, { point, tree, ...made }) => {
      const { from, parents, tip, clean } = point;
      const isNothing = tree === (await treeOfCommit(repository, tip));
      if (isNothing && tip === clean) return { ...NO_WORK, tree_hash: tree };
      if (from !== null && tree === (await treeOfCommit(repository, from))) return describe(live, from);
      const branch = branches.get(live.task.id) ?? pullBranch(live.task);
      return holdingOffGc(repository, async () => {
        const commit = await makeCommit(repository, { ...made, tree, parents, onUnsigned });
        if (!(await pushTip(repository, place(branch), { from, to: commit }))) return null;
        // The branch holds it now. A later session must not merge an older state of it in again.
        await dropRefs(repository, [workRef(live.task.id)]);
        return describe(live, commit);
      });
    },
    describe,
  };
}

const trackingRef = ({ name }: Remote, branch: string): string => `refs/remotes/${name}/${branch}`;

async function isOfSessions(
  repository: Place,
  range: readonly string[],
  sessions: ReadonlySet<string>,
): Promise<boolean> {
  const { stdout } = await git(repository, [
    ...[
      'log',
      '--max-count=200',
      '--format=%(trailers:key=Ralph-Session,valueonly,separator=%x20)',
      ...range,
      '--',
    ],
  ]);
  return stdout.split(/\s+/).some((session) => sessions.has(session));
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
    if (known !== null && (await parentsOf(repository, known)) === `${head} ${target}`)
      return { tip: known, conflicts };
    const message = `Work on task ${task_id}, merged\n`;
    const tip = await plainCommit(repository, { tree, parents: [head, target], message });
    await git(repository, ['update-ref', ref, tip]);
    return { tip, conflicts };
  });
}

const parentsOf = async (repository: Place, commit: string): Promise<string> =>
  (await git(repository, ['show', '--no-patch', '--format=%P', commit])).stdout.trim();
