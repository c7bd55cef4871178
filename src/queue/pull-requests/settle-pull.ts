// Applies what GitHub says of a pull request to its tasks, each time in one transaction that can be repeated.
import type { PullDecision } from '../../domain/pull-requests/decide-pull.ts';
import { droppedQuestion } from '../../domain/pull-requests/pull-questions.ts';
import {
  lastPart,
  type PullPart,
  type PullRequest,
  waitsForPull,
} from '../../domain/pull-requests/pull-request.ts';
import { isSatisfied } from '../../domain/tasks/status.ts';
import { isOpenQuestion, type Status } from '../../domain/tasks/task.ts';
import { toStorable } from '../../domain/text/text.ts';
import type { Writer } from '../../store/database.ts';
import { appendEvents } from '../../store/events.ts';
import { findSession } from '../../store/sessions/sessions.ts';
import { moveToNext } from '../../store/tasks/pull-parts.ts';
import { findPull, pullOfBranch, updatePull } from '../../store/tasks/pull-requests.ts';
import { dismissQuestion, questionsOfTask } from '../../store/tasks/questions.ts';
import { updateTask } from '../../store/tasks/tasks.ts';
import type { Queue } from '../queue.ts';
import { requireTask } from '../require.ts';
import { acceptDone } from '../sessions/accept-done.ts';
import { changeStatus } from '../tasks/change-status.ts';
import { commentOn } from '../tasks/comment.ts';
import { askAboutClosing, askAboutPull, waitAgain } from './closed-pull.ts';

/** Null if it is not to be settled: another process was first, or a person or a session is at work on it. */
const settle = <Result>(
  queue: Queue,
  { id, state }: PullRequest,
  apply: (db: Writer, pull: PullRequest, at: number) => Promise<Result | null>,
): Promise<Result | null> => {
  const at = queue.now();
  return queue.store.write(async (db) => {
    const pull = await findPull(db, id);
    // Only what Ralph looked at counts: another process may have settled it since.
    if (pull === null || pull.state === 'merged' || pull.state !== state) return null;
    if (pull.parts.some(({ status }) => status === 'in_progress')) return null;
    // The next one of the same branch has taken its tasks along.
    if (pull.state === 'closed' && (await pullOfBranch(db, pull.branch))?.id !== id) return null;
    return apply(db, pull, at);
  });
};

/** `late`: tasks whose last push came after the merge, onto the same branch. `dropped`: tasks whose work is in neither. */
export type Missing = { late: readonly number[]; dropped: readonly number[] };

/**
 * `done`: its tasks. `next`: the pull request that holds what was pushed after the merge; null if there is nothing. `asking`: those of
 * the dropped tasks that ask a person.
 */
export type Merged = { done: readonly number[]; next: PullRequest | null; asking: readonly number[] };

/** Makes its tasks done, but for those that it misses: the gates of their last sessions are the receipts, and the merge is their commit. */
export const settleMerged = (
  queue: Queue,
  looked: PullRequest,
  { commit, late, dropped, verify }: Missing & { commit: string; verify: boolean },
): Promise<Merged | null> =>
  settle(queue, looked, async (db, pull, at) => {
    const seen = new Set(looked.parts.map(({ session_id }) => session_id));
    const isLate = ({ task_id, session_id }: PullPart): boolean =>
      late.includes(task_id) || !seen.has(session_id);
    const unsettled = pull.parts.filter(({ status }) => !isSatisfied(status));
    if (unsettled.length === 0) return null;
    const left = unsettled.filter(isLate);
    const lost = unsettled.filter((part) => !isLate(part) && dropped.includes(part.task_id));
    const merged = unsettled.filter((part) => !left.includes(part) && !lost.includes(part));
    await updatePull(db, pull.id, { state: 'merged', changed: at });
    const next = left.length === 0 ? null : await moveOn(db, pull, left, at);
    const { task_id, session_id } = merged.at(-1) ?? lastPart(pull);
    const data = { number: pull.number, commit };
    await appendEvents(db, [{ at, kind: 'pull.merged', task_id, session_id, data }]);
    for (const part of merged) await finishPart(db, part, { commit, verify, at });
    // One that is queued or asks already goes on by itself.
    const asking = lost.filter(({ waits }) => waits);
    for (const part of asking)
      await askAboutPull(db, part, droppedQuestion(pull.number, part.task_id, part.head), {
        at,
        approves: part.session_id,
      });
    const idOf = (part: PullPart): number => part.task_id;
    return { done: merged.map(idOf), next, asking: asking.map(idOf) };
  });

async function moveOn(
  db: Writer,
  pull: PullRequest,
  parts: readonly PullPart[],
  at: number,
): Promise<PullRequest | null> {
  const ids = parts.map(({ task_id }) => task_id);
  const next = await findPull(db, await moveToNext(db, pull, ids, at));
  for (const { task_id, waits } of parts)
    if (next !== null && waits)
      await updateTask(db, task_id, { blocked_by: waitsForPull(next), updated: at });
  return next;
}

async function finishPart(
  db: Writer,
  { task_id, session_id, tree_hash, diff_stat }: PullPart,
  { commit, verify, at }: { commit: string; verify: boolean; at: number },
): Promise<void> {
  const session = await findSession(db, session_id);
  if (session === null) throw new Error(`Session ${session_id} is gone.`);
  const work = { commit, tree_hash, diff_stat };
  const task = await requireTask(db, task_id);
  await acceptDone(db, task, session, { cause: 'merge', work, no_change_reason: null, verify, at });
  for (const question of await questionsOfTask(db, task_id))
    if (isOpenQuestion(question)) await dismissQuestion(db, question.id, at);
  const data = { state: 'landed', commit, gate_runs: 0 };
  const { run_id } = session;
  await appendEvents(db, [{ at, kind: 'landing.ended', task_id, session_id, run_id, data }]);
}

type Return = {
  decision: Extract<PullDecision, { kind: 'back' }>;
  /** The one of its tasks that is put back. */
  task_id: number;
  /** For the next session. */
  text: string;
  head: string;
  seen: Pick<PullRequest, 'seen_review' | 'seen_comment'>;
  max_attempts: number;
};

/** Puts a task back with what others say about it. A task that is queued already only hears it. */
export const settleReturned = (
  queue: Queue,
  looked: PullRequest,
  { decision: { charge, hasConflict }, task_id, text, head, seen, max_attempts }: Return,
): Promise<true | null> =>
  settle(queue, looked, async (db, known, at) => {
    const from: readonly Status[] = charge === 'fresh' ? ['blocked', 'pending', 'failed'] : ['blocked'];
    const task = await requireTask(db, task_id);
    if (!from.includes(task.status)) return null;
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
    const session_id = known.parts.find((part) => part.task_id === task_id)?.session_id;
    const about = { at, task_id, ...(session_id !== undefined && { session_id }) };
    if (task.status !== 'pending') await changeStatus(db, task, { ...about, cause: 'return', to, patch });
    const data = { number: known.number, status: to };
    await appendEvents(db, [{ ...about, kind: 'pull.returned', data }]);
    return true;
  });

/** One of its tasks asks for all of them. */
export const settleClosed = (queue: Queue, looked: PullRequest): Promise<{ task_id: number } | null> =>
  settle(queue, looked, async (db, known, at) => {
    const last = known.parts.findLast(({ status }) => !isSatisfied(status));
    if (last === undefined) return null;
    await updatePull(db, known.id, { state: 'closed', changed: at });
    const { task_id, session_id } = (await askAboutClosing(db, known, at)) ?? last;
    const data = { number: known.number };
    await appendEvents(db, [{ at, kind: 'pull.closed', task_id, session_id, data }]);
    return { task_id };
  });

/** Somebody opened it again, so what Ralph asked about its closing is no question any more. */
export const settleReopened = (queue: Queue, looked: PullRequest): Promise<true | null> =>
  settle(queue, looked, async (db, known, at) => {
    if (known.state !== 'closed') return null;
    await updatePull(db, known.id, { state: 'open', changed: at, next_look: at });
    await waitAgain(db, { ...known, state: 'open' }, at);
    const { task_id, session_id } = lastPart(known);
    const data = { number: known.number };
    await appendEvents(db, [{ at, kind: 'pull.reopened', task_id, session_id, data }]);
    return true;
  });
