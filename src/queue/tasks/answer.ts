import { Refusal } from '../../domain/refusal.ts';
import { APPROVE } from '../../domain/sessions/approval-questions.ts';
import type { Question, Task } from '../../domain/tasks/task.ts';
import { requireStorable, singleLine, truncate } from '../../domain/text/text.ts';
import type { Reader, Writer } from '../../store/database.ts';
import { appendEvents } from '../../store/events.ts';
import { countOpenFlags } from '../../store/tasks/flags.ts';
import {
  approvalsOfTask,
  countOpenBlocking,
  dismissQuestion,
  findQuestion,
  saveAnswer,
} from '../../store/tasks/questions.ts';
import type { StoredTask } from '../../store/tasks/tasks.ts';
import type { Queue } from '../queue.ts';
import { requireTask, requireUnchanged } from '../require.ts';
import { approvedSession, completeApproved } from '../sessions/accept-done.ts';
import { changeStatus } from './change-status.ts';

/** A longer answer would hide the rest of the sentence. */
const MAX_SHOWN = 200;

type AnswerResult = { question: Question; replaced: string | null; task: Task };

/**
 * `seen`: the answer that the person saw; null if there was none. `replace`: the person's answer replaces any earlier one.
 */
type AnswerOptions = {
  seen?: string | null | undefined;
  replace?: boolean;
  /** Whether a session verifies a feature as a whole before it is done. */
  verify?: boolean;
};

/** Reads a question before Ralph shows it to a person; refuses one that they could not answer. */
export const questionToAnswer = (queue: Queue, id: number, { replace = false }: AnswerOptions) =>
  queue.store.read(async (db): Promise<Question> => {
    const question = await requireQuestion(db, id);
    if (!replace) requireOpen(question, null);
    return question;
  });

/**
 * The answer to the last open blocking question puts the task back into the queue. If several people answer at once, the first
 * wins, and the refusal tells the others the answer that stands.
 */
export function answer(
  queue: Queue,
  id: number,
  input: string,
  { seen, replace = false, verify = false }: AnswerOptions = {},
): Promise<AnswerResult> {
  const at = queue.now();
  if (input.trim() === '') throw new Refusal('The answer is empty; say what the agent should know.');
  requireStorable('answer', input);
  const text = queue.mask(input);
  return queue.store.write(async (db) => {
    const question = await requireQuestion(db, id);
    if (seen !== undefined)
      requireUnchanged(`to question ${id}`, {
        current: { answer: question.answer },
        wanted: { answer: text },
        seen: { answer: seen },
      });
    else if (!replace) requireOpen(question, text);
    await saveWithin(db, question, text, { verify, at });
    return {
      question: { ...question, answer: text, answered: at },
      replaced: question.answer,
      task: await requireTask(db, question.task_id),
    };
  });
}

type CompleteOptions = { verify: boolean; at: number };

async function saveWithin(
  db: Writer,
  question: Question,
  text: string,
  options: CompleteOptions,
): Promise<void> {
  const { id, task_id, answer: replaced } = question;
  const { at } = options;
  await saveAnswer(db, id, text, at);
  await appendEvents(db, [{ at, kind: 'question.answered', task_id, data: { question: id, replaced } }]);
  await resumeTask(db, task_id, options);
}

/** Moves a task on that waited for a person, unless it still waits. False if it stays as it is. */
export async function resumeTask(db: Writer, task_id: number, options: CompleteOptions): Promise<boolean> {
  const task = await requireTask(db, task_id);
  if (task.status !== 'needs_input' || (await countOpenBlocking(db, task.id)) > 0) return false;
  const approved = await approvedSession(db, task);
  if (approved !== null) {
    await completeApproved(db, task, approved, options);
    return true;
  }
  if ((await countOpenFlags(db, task.id)) > 0) return false;
  const isBlocked = task.blocked_by !== null || task.open_blockers > 0;
  await changeStatus(db, task, { cause: 'answer', to: isBlocked ? 'blocked' : 'pending', at: options.at });
  return true;
}

/** A person does not want to answer a question that nothing waits for. */
export function dismiss(queue: Queue, id: number): Promise<Question> {
  const at = queue.now();
  return queue.store.write(async (db) => {
    const question = await requireQuestion(db, id);
    if (question.answer !== null)
      throw new Refusal(
        `Q${id} has an answer, so there is nothing to dismiss; to change it: ralph answer ${id} "..." --replace.`,
      );
    const { status } = await requireTask(db, question.task_id);
    if (question.blocking && status === 'needs_input')
      throw new Refusal(
        `Task ${question.task_id} waits for the answer to Q${id}; answer it, or skip the task: ralph skip ${question.task_id}`,
      );
    await dismissQuestion(db, id, at);
    await appendEvents(db, [
      { at, kind: 'question.dismissed', task_id: question.task_id, data: { question: id } },
    ]);
    return { ...question, dismissed: at };
  });
}

/** Accepts the done of a task that asks a person to accept it; false if the task asks for nothing like that. */
export async function approveDone(
  db: Writer,
  { id, status }: StoredTask,
  options: CompleteOptions,
): Promise<boolean> {
  if (status !== 'needs_input') return false;
  const open = (await approvalsOfTask(db, id)).find((approval) => approval.answer === null);
  const question = open === undefined ? null : await findQuestion(db, open.id);
  if (question === null) return false;
  await saveWithin(db, question, APPROVE, options);
  return true;
}

async function requireQuestion(db: Reader, id: number): Promise<Question> {
  const question = await findQuestion(db, id);
  if (question !== null) return question;
  throw new Refusal(`There is no question ${id}; ralph status shows the open ones.`);
}

function requireOpen({ id, answer: standing }: Question, text: string | null): void {
  if (standing === null || standing === text) return;
  throw new Refusal(
    `Question ${id} already has the answer "${truncate(singleLine(standing), MAX_SHOWN)}". To replace it, use --replace (or replace: true).`,
  );
}
