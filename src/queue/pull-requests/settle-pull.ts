// Applies what GitHub says of a pull request to its task, each time in one transaction that can be repeated.
import type { PullDecision } from '../../domain/pull-requests/decide-pull.ts';
import { type PullRequest, waitsForPull } from '../../domain/pull-requests/pull-request.ts';
import { isOpenQuestion, type Status } from '../../domain/tasks/task.ts';
import { toStorable } from '../../domain/text/text.ts';
import type { Writer } from '../../store/database.ts';
import { appendEvents } from '../../store/events.ts';
import { findSession } from '../../store/sessions/sessions.ts';
import { findPull, pullOfTask, savePullHead, updatePull } from '../../store/tasks/pull-requests.ts';
import { dismissQuestion, insertQuestion, questionsOfTask } from '../../store/tasks/questions.ts';
import { type StoredTask, updateTask } from '../../store/tasks/tasks.ts';
import type { Queue } from '../queue.ts';
import { requireTask } from '../require.ts';
import { acceptDone } from '../sessions/accept-done.ts';
import { changeStatus } from '../tasks/change-status.ts';
import { commentOn } from '../tasks/comment.ts';

/** False if the task is not one that waits for this: another process was first, or a person has decided meanwhile. */
const settle = (
  queue: Queue,
  { id }: PullRequest,
  from: readonly Status[],
  apply: (db: Writer, pull: PullRequest, task: StoredTask, at: number) => Promise<void>,
): Promise<boolean> => {
  const at = queue.now();
  return queue.store.write(async (db) => {
    const pull = await findPull(db, id);
    if (pull === null || pull.state !== 'open') return false;
    const task = await requireTask(db, pull.task_id);
    if (!from.includes(task.status)) return false;
    await apply(db, pull, task, at);
    return true;
  });
};

const UNSETTLED: readonly Status[] = ['blocked', 'pending', 'needs_input', 'failed'];

/** Done: the gates of its last session are the receipt, and the merge is its commit. */
export const settleMerged = (
  queue: Queue,
  pull: PullRequest,
  { commit, verify }: { commit: string; verify: boolean },
): Promise<boolean> =>
  settle(queue, pull, UNSETTLED, async (db, { id, ...known }, task, at) => {
    const session = await findSession(db, known.session_id);
    if (session === null) throw new Error(`Session ${known.session_id} is gone.`);
    const { tree_hash, diff_stat, number } = known;
    await updatePull(db, id, { state: 'merged', changed: at });
    await acceptDone(db, task, session, {
      cause: 'merge',
      work: { commit, tree_hash, diff_stat },
      no_change_reason: null,
      verify,
      at,
    });
    for (const question of await questionsOfTask(db, task.id))
      if (isOpenQuestion(question)) await dismissQuestion(db, question.id, at);
    const about = { at, task_id: task.id, session_id: session.id };
    await appendEvents(db, [
      { ...about, kind: 'pull.merged', data: { number, commit } },
      {
        ...about,
        kind: 'landing.ended',
        run_id: session.run_id,
        data: { state: 'landed', commit, gate_runs: 0 },
      },
    ]);
  });

/** The next pull request of the same branch holds what the merge does not. Null if another process was first. */
export async function settleOutrun(
  queue: Queue,
  pull: PullRequest,
  { commit }: { commit: string },
): Promise<PullRequest | null> {
  const { number, task_id, session_id, branch, base, head, tree_hash, diff_stat } = pull;
  const isSettled = await settle(queue, pull, UNSETTLED, async (db, { id }, task, at) => {
    await updatePull(db, id, { state: 'merged', changed: at });
    await savePullHead(db, { task_id, session_id, branch, base, head, tree_hash, diff_stat }, at);
    const blocked_by = waitsForPull({ number: null, url: null, branch });
    if (task.status === 'blocked') await updateTask(db, task.id, { blocked_by, updated: at });
    const data = { number, commit };
    await appendEvents(db, [{ at, kind: 'pull.merged', task_id, session_id, data }]);
  });
  return isSettled ? queue.store.read((db) => pullOfTask(db, task_id)) : null;
}

export type Return = {
  decision: Extract<PullDecision, { kind: 'back' }>;
  /** For the next session. */
  text: string;
  head: string;
  seen: Pick<PullRequest, 'seen_review' | 'seen_comment'>;
  max_attempts: number;
};

/** Puts the task back with what others say about it. A task that is queued already only hears it. */
export const settleReturned = (
  queue: Queue,
  pull: PullRequest,
  { decision: { charge, hasConflict }, text, head, seen, max_attempts }: Return,
): Promise<boolean> =>
  settle(
    queue,
    pull,
    charge === 'fresh' ? ['blocked', 'pending', 'failed'] : ['blocked'],
    async (db, known, task, at) => {
      await updatePull(db, known.id, {
        ...seen,
        returned: head,
        conflicts: hasConflict ? known.conflicts + 1 : 0,
        changed: at,
      });
      await commentOn(db, task.id, { author: 'system', body: toStorable(text), created: at });
      const attempts = charge === 'fresh' ? 0 : task.attempts + (charge === 'attempt' ? 1 : 0);
      const to = attempts >= max_attempts ? 'failed' : 'pending';
      const patch = {
        attempts,
        blocked_by: null,
        not_before: null,
        ...(charge === 'fresh' && { stuck_count: 0 }),
      };
      const { session_id } = known;
      if (task.status !== 'pending')
        await changeStatus(db, task, { cause: 'return', to, at, session_id, patch });
      const data = { number: known.number, status: to };
      await appendEvents(db, [{ at, kind: 'pull.returned', task_id: task.id, session_id, data }]);
    },
  );

/** Somebody closed it without a merge: only a person knows what they want instead. */
export const settleClosed = (queue: Queue, pull: PullRequest): Promise<boolean> =>
  settle(queue, pull, UNSETTLED, async (db, known, task, at) => {
    await updatePull(db, known.id, { state: 'closed', changed: at });
    const { number } = known;
    const about = { at, task_id: task.id, session_id: known.session_id };
    await appendEvents(db, [{ ...about, kind: 'pull.closed', data: { number } }]);
    if (task.status !== 'blocked') return;
    const patch = { blocked_by: null };
    const { session_id } = known;
    await changeStatus(db, task, { cause: 'return', to: 'needs_input', at, session_id, patch });
    const question = await insertQuestion(db, {
      task_id: task.id,
      signal_id: null,
      question: `Pull request #${number} of this task was closed without a merge. What should the next session do differently? If nothing is to be done: ralph skip ${task.id}.`,
      blocking: true,
      options: [],
      preferred: null,
      answer: null,
      asked: at,
      answered: null,
      approves: null,
    });
    await appendEvents(db, [{ ...about, kind: 'question.asked', data: { question, blocking: true } }]);
  });
