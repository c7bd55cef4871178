// Somebody closed a pull request without a merge: only a person knows what they want instead. One of its tasks asks for all of them.
import {
  closedQuestion,
  isAboutClosing,
  waitsForDecision,
} from '../../domain/pull-requests/pull-questions.ts';
import { type PullPart, type PullRequest, waitsForPull } from '../../domain/pull-requests/pull-request.ts';
import { APPROVE } from '../../domain/sessions/approval-questions.ts';
import { isSatisfied } from '../../domain/tasks/status.ts';
import type { Writer } from '../../store/database.ts';
import { appendEvents } from '../../store/events.ts';
import { countOpenFlags } from '../../store/tasks/flags.ts';
import { setWaiting } from '../../store/tasks/pull-parts.ts';
import { pullOfTask } from '../../store/tasks/pull-requests.ts';
import {
  countOpenBlocking,
  dismissQuestion,
  insertQuestion,
  ownQuestions,
} from '../../store/tasks/questions.ts';
import { findTasks, updateTask } from '../../store/tasks/tasks.ts';
import { requireTask } from '../require.ts';
import { changeStatus, refreshDependents } from '../tasks/change-status.ts';

/** A question of Ralph's own that the task waits for. `approves`: the session whose done the person may accept. */
export async function askAboutPull(
  db: Writer,
  { task_id, session_id }: Pick<PullPart, 'task_id' | 'session_id'>,
  question: string,
  { at, approves = null }: { at: number; approves?: string | null },
): Promise<void> {
  const about = { at, task_id, session_id };
  const task = await requireTask(db, task_id);
  await changeStatus(db, task, { ...about, cause: 'return', to: 'needs_input', patch: { blocked_by: null } });
  const id = await insertQuestion(db, {
    ...{ task_id, question, approves, asked: at, signal_id: null, blocking: true },
    ...{ options: approves === null ? [] : [APPROVE], preferred: null, answer: null, answered: null },
  });
  await appendEvents(db, [{ ...about, kind: 'question.asked', data: { question: id, blocking: true } }]);
}

/** One of the tasks that wait for it asks, and the others wait for that one. Null if none waits. */
export async function askAboutClosing(
  db: Writer,
  { parts, number }: PullRequest,
  at: number,
): Promise<PullPart | null> {
  const waiting = parts.filter(({ waits }) => waits);
  const asking = await findFirst(db, waiting);
  if (asking === undefined) return null;
  const { task_id } = asking;
  const others = waiting.filter((part) => part !== asking).map((part) => part.task_id);
  await askAboutPull(db, asking, closedQuestion(number, task_id, others), { at });
  await waitFor(db, others, waitsForDecision(number, task_id), at);
  return asking;
}

/** The last one that can start before the others: they wait for it once nothing is on an open branch any more. */
async function findFirst(db: Writer, parts: readonly PullPart[]): Promise<PullPart | undefined> {
  const ids = parts.map(({ task_id }) => task_id);
  const tasks = new Map((await findTasks(db, ids)).map((task) => [task.id, task]));
  return parts.findLast(({ task_id }) => !tasks.get(task_id)?.depends_on.some((id) => ids.includes(id)));
}

async function waitFor(
  db: Writer,
  task_ids: readonly number[],
  blocked_by: string,
  at: number,
): Promise<void> {
  for (const id of task_ids) {
    await updateTask(db, id, { blocked_by, updated: at });
    await refreshDependents(db, id, at);
  }
}

/**
 * The task is over, and pushes nothing any more. If others wait for what it would have done about a closed pull request, they wait
 * for another one that goes on, or the next of them asks.
 */
export async function handOver(db: Writer, task_id: number, at: number): Promise<void> {
  const pull = await pullOfTask(db, task_id);
  if (pull?.state !== 'closed') return;
  const next = pull.parts.findLast(
    ({ waits, status }) => !waits && status !== 'failed' && !isSatisfied(status),
  );
  const waiting = pull.parts.filter(({ waits }) => waits).map((part) => part.task_id);
  if (next === undefined) await askAboutClosing(db, pull, at);
  else await waitFor(db, waiting, waitsForDecision(pull.number, next.task_id), at);
}

/** Somebody opened it again: its tasks wait for the merge as before. One that a person has put back meanwhile goes on. */
export async function waitAgain(db: Writer, pull: PullRequest, at: number): Promise<void> {
  const blocked_by = waitsForPull(pull);
  const waiting = pull.parts.filter(({ waits }) => waits).map(({ task_id }) => task_id);
  await waitFor(db, waiting, blocked_by, at);
  for (const { task_id, status, session_id } of pull.parts) {
    if (status !== 'needs_input' || !(await withdraw(db, task_id, pull.number, at))) continue;
    if ((await countOpenBlocking(db, task_id)) > 0 || (await countOpenFlags(db, task_id)) > 0) continue;
    const change = { cause: 'answer', to: 'blocked', at, session_id, patch: { blocked_by } } as const;
    await changeStatus(db, { id: task_id, status }, change);
    await setWaiting(db, task_id, pull.id);
    await refreshDependents(db, task_id, at);
  }
}

/** Takes the question about the closing back. False if the task asks none. */
async function withdraw(db: Writer, task_id: number, number: number | null, at: number): Promise<boolean> {
  const own = (await ownQuestions(db, task_id)).filter(({ question }) => isAboutClosing(question, number));
  for (const { id } of own) {
    await dismissQuestion(db, id, at);
    await appendEvents(db, [{ at, kind: 'question.dismissed', task_id, data: { question: id } }]);
  }
  return own.length > 0;
}
