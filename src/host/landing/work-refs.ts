// The work of sessions as commits that refs hold: they survive their slot, a crash and `git gc`.
import { RALPH } from '../commits/identity.ts';
import { makeCommitObject } from '../git/commit-object.ts';
import { type Git, parentOfCommit, rememberCommit, treeOfCommit } from '../git/git.ts';
import { holdingOffGc } from '../git/hold-off-gc.ts';
import type { Place } from '../git/own-git.ts';
import { pathText } from '../git/raw-path.ts';
import { dropRefs, holdCommit, workRef } from '../git/refs.ts';
import { changesBetween } from '../git/tree-changes.ts';
import { allEnded } from '../processes/all-ended.ts';
import { identify, isAlive } from '../processes/process-identity.ts';
import { readRef } from './trunk.ts';
import type { ClaimedTask } from './verifier.ts';

/** What a session made: a commit on top of its base. */
export const sessionRef = (session_id: string): string => `refs/ralph/work/${session_id}`;
/** The merge that gates judge, until it has landed or failed. */
export const candidateRef = (session_id: string): string => `refs/ralph/candidate/${session_id}`;

/** Of no session: a merge of a person's commits, or an entry in the progress file. Another process may be judging the same. */
export function ownCandidateRef(kind: 'merge' | 'progress'): string {
  const { pid, process_started } = identify(process.pid);
  return candidateRef(`${kind}-${pid}-${process_started ?? ''}-${crypto.randomUUID()}`);
}

/** Older versions named no process. */
const OWN_CANDIDATE = /^refs\/ralph\/candidate\/(?:merge|progress)-(?:(\d+)-(\d*)-[0-9a-f-]{36}$)?/;

/** Whether no living process has it. */
export function isAbandonedCandidate(ref: string): boolean {
  const [found, pid, process_started = ''] = OWN_CANDIDATE.exec(ref) ?? [];
  if (pid === undefined) return found !== undefined;
  return !isAlive({ pid: Number(pid), process_started: process_started === '' ? null : process_started });
}

export type WorkCommit = { commit: string; tree: string; base: string };

/** A commit that only Ralph's refs hold, so it needs no person's name. */
export const plainCommit = async (
  repository: Git,
  commit: { tree: string; parents: readonly string[]; message: string },
): Promise<string> => makeCommitObject({ ...repository, env: { ...repository.env, ...RALPH } }, commit);

export async function saveSessionWork(
  repository: Place,
  { session_id, task_id, base, tree }: { session_id: string; task_id: number; base: string; tree: string },
): Promise<WorkCommit> {
  return holdingOffGc(repository, async () => {
    const message = `Work on task ${task_id}\n\nRalph-Task: ${task_id}\n`;
    const commit = await plainCommit(repository, { tree, parents: [base], message });
    rememberCommit(commit, { tree, parent: base });
    await holdCommit(repository, sessionRef(session_id), commit);
    return { commit, tree, base };
  });
}

/** Null if the session's work was not taken yet. */
export async function readSessionWork(repository: Place, session_id: string): Promise<WorkCommit | null> {
  const commit = await readRef(repository, sessionRef(session_id));
  if (commit === null) return null;
  const base = await parentOfCommit(repository, commit);
  return { commit, tree: await treeOfCommit(repository, commit), base };
}

export type TakeInput<Live extends ClaimedTask> = {
  repository: Place;
  /** Takes the files of the session as a tree. */
  take(live: Live): Promise<{ base: string; tree: string }>;
  onWork(session_id: string, work: { commit: string; files: readonly string[] }): Promise<void>;
};

/** Takes the work of a session once. From then on only the ref counts, whatever happens to the files. */
export const workTaker =
  <Live extends ClaimedTask>({ repository, take, onWork }: TakeInput<Live>) =>
  async (live: Live): Promise<WorkCommit> => {
    const { id: session_id } = live.session;
    const known = await readSessionWork(repository, session_id);
    if (known !== null) return known;
    // Until a ref holds the tree.
    const { work, changes } = await holdingOffGc(repository, async () => {
      const { base, tree } = await take(live);
      const before = await treeOfCommit(repository, base);
      const [saved, compared] = await allEnded([
        saveSessionWork(repository, { session_id, task_id: live.task.id, base, tree }),
        changesBetween(repository, before, tree),
      ]);
      return { work: saved, changes: compared };
    });
    await onWork(session_id, { commit: work.commit, files: changes.map(({ path }) => pathText(path)) });
    return work;
  };

/** Unfinished work, for the next session of the task. Nothing is kept if it equals its base. */
export async function saveTaskWork(repository: Place, task_id: number, work: WorkCommit): Promise<void> {
  const isEmpty = work.tree === (await treeOfCommit(repository, work.base));
  if (isEmpty) await dropRefs(repository, [workRef(task_id)]);
  else await holdCommit(repository, workRef(task_id), work.commit);
}

/** The task is done: nothing of its attempts is needed any more. */
export const dropTaskWork = (
  repository: Place,
  task_id: number,
  sessions: readonly string[],
): Promise<void> =>
  dropRefs(repository, [workRef(task_id), ...sessions.flatMap((id) => [sessionRef(id), candidateRef(id)])]);
