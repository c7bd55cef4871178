// The repository after a round: commits, proofs, references.
import { currentCommit } from '../disturb/person-log.ts';
import type { CommonEvidence, Evidence, TaskCommit } from '../evidence.ts';

const taskCommitsIn = ({ branches }: CommonEvidence): TaskCommit[] =>
  branches.flatMap(({ taskCommits }) => taskCommits);

export function everyDoneHasOneCommit(evidence: CommonEvidence): string[] {
  const { receipts, person } = evidence;
  const commits = taskCommitsIn(evidence);
  return [
    ...receipts.flatMap(({ task_id, session_id, commit_id }) => {
      const own = commits.filter(({ task }) => task === task_id);
      if (own.length !== 1) return [`task ${task_id} has ${own.length} commits`];
      const [commit] = own;
      return commit?.hash === currentCommit(person, commit_id) && commit?.session === session_id
        ? []
        : [`the commit of task ${task_id} is not that of its receipt`];
    }),
    ...commits
      .filter(({ task }) => !receipts.some(({ task_id }) => task_id === task))
      .map(({ hash, task }) => `commit ${hash} is of task ${task}, which has no receipt`),
  ];
}

/** Ralph's own record, and the gate's. A person who commits while a gate runs changes the tree that it sees. */
export function everyDoneHasAGatePassOnItsTree({
  receipts,
  gateRuns,
  gatesSeen,
  disturbed,
}: CommonEvidence): string[] {
  const isShifted = disturbed.some(({ victim }) => victim === 'person');
  return receipts.flatMap(({ task_id, session_id, tree_hash }) => {
    const recorded = gateRuns.some(
      (run) => run.session_id === session_id && run.passed === 1 && run.tree_hash === tree_hash,
    );
    const seen = gatesSeen.some((gate) => gate.event === 'pass' && gate.tree === tree_hash);
    return [
      ...(recorded ? [] : [`task ${task_id} has no recorded gate pass on ${tree_hash}`]),
      ...(seen || isShifted ? [] : [`no gate has seen ${tree_hash}, the tree of task ${task_id}`]),
    ];
  });
}

/** Their receipts tell of the commits that they replace. */
export const everyPlantedTreeWasJudged = ({ planted, gatesSeen }: Evidence): string[] =>
  planted
    .filter((tree) => !gatesSeen.some((gate) => gate.event === 'pass' && gate.tree === tree))
    .map((tree) => `no gate has passed on ${tree}, which was planted anew`);

/** The gates judge a checkout of the commit alone, without the person's changes. */
export function everyReceiptNamesTheTreeOfItsCommit(evidence: CommonEvidence): string[] {
  return taskCommitsIn(evidence).flatMap(({ hash, task, tree }) => {
    const receipt = evidence.receipts.find(({ commit_id }) => commit_id === hash);
    return receipt === undefined || receipt.tree_hash === tree
      ? []
      : [`the tree of task ${task} is ${tree}, and its receipt says ${receipt.tree_hash}`];
  });
}

/** The person's changes are in files that no task touches, so nothing holds their checkout back. */
export function theBranchHasFollowedTheTrunk({ behind }: Evidence): string[] {
  return behind.map((commit) => `${commit} is on ralph/main and not on main`);
}

/** Each commit has its own task's files and no other's, and all of the work is on the branch that it landed on. */
export function everyCommitHoldsItsOwnWork(evidence: CommonEvidence): string[] {
  const { plan, branches } = evidence;
  const landedOn = (id: number) =>
    branches.find(({ taskCommits }) => taskCommits.some(({ task }) => task === id)) ?? branches[0];
  return [
    ...taskCommitsIn(evidence).flatMap(({ task, files }) => {
      const own = [`work/${task}.txt`, `claims/${task}.txt`, 'shared.txt'];
      const others = files.filter((file) => !own.includes(file));
      return others.length === 0 ? [] : [`the commit of task ${task} holds ${others.join(', ')}`];
    }),
    ...plan.tasks.flatMap(({ id, shares, claims }) => {
      const files = landedOn(id)?.files ?? {};
      const shared = (files['shared.txt'] ?? '').split('\n');
      return [
        ...(files[`work/${id}.txt`] === `task ${id}\nok\n`
          ? []
          : [`the work of task ${id} is not committed`]),
        ...(!claims || /^\d+\n$/.test(files[`claims/${id}.txt`] ?? '')
          ? []
          : [`the number of task ${id} is not committed`]),
        ...(!shares || shared.filter((line) => line === `by ${id}`).length === 1
          ? []
          : [`shared.txt does not hold the line of task ${id} once`]),
      ];
    }),
  ];
}

/** Such work is green apart and red together. */
export function noTwoTasksHaveTheSameNumber({ branches }: CommonEvidence): string[] {
  return branches.flatMap(({ name, files }) => {
    const numbers = Object.entries(files).filter(
      ([path, text]) => path.startsWith('claims/') && text !== null,
    );
    return numbers
      .filter(([path, text]) => numbers.some(([other, same]) => other < path && same === text))
      .map(([path, text]) => `${path} on ${name} has the number ${text?.trim()} of another task`);
  });
}

export function aFreshClonePassesTheGate({ clones }: CommonEvidence): string[] {
  return clones
    .filter(({ code }) => code !== 0)
    .map(
      ({ commit, code, output }) => `${commit} in a fresh clone ended with ${code}: ${output.slice(0, 200)}`,
    );
}

export function theRepositoryIsSound({ fsck }: CommonEvidence): string[] {
  return fsck.code === 0 ? [] : [`git fsck ended with ${fsck.code}: ${fsck.output.slice(0, 400)}`];
}

/**
 * Work that is set aside belongs to a task that is open; bases, proofs, work and candidates belong to a session that is not
 * settled. Where Ralph last brought a branch is remembered.
 */
export function noReferenceOfAFinishedSessionIsLeft({ refs, tasks, sessions }: CommonEvidence): string[] {
  const isOpen = (task_id: number): boolean => tasks.find(({ id }) => id === task_id)?.status === 'pending';
  return refs.filter((ref) => {
    if (ref.startsWith('refs/ralph/followed/')) return false;
    const aside = /^refs\/ralph\/task-(\d+)$/.exec(ref)?.[1];
    const owner = /^refs\/ralph\/(?:base|proven|work|candidate)\/(.+)$/.exec(ref)?.[1];
    const session = sessions.find(({ id }) => id === owner);
    return !isOpen(aside === undefined ? (session?.task_id ?? 0) : Number(aside));
  });
}
