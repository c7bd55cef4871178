import { Refusal } from '../../domain/refusal.ts';
import { APPROVE } from '../../domain/sessions/approval-questions.ts';
import type { Question, Task } from '../../domain/tasks/task.ts';
import { folded, requireStorable, shortened } from '../../domain/text/text.ts';
import type { Reader, Writer } from '../../store/database.ts';
import { appendEvents } from '../../store/events.ts';
import { approvalsOfTask, countOpenBlocking, findQuestion, saveAnswer } from '../../store/tasks/questions.ts';
import type { StoredTask } from '../../store/tasks/tasks.ts';
import type { Queue } from '../queue.ts';
import { requireTask, requireUnchanged } from '../require.ts';
import { approvedSession, completeApproved } from './approve-no-change.ts';
import { changeStatus } from './change-status.ts';

/** More of an answer would hide the sentence. */
const MAX_SHOWN = 200;

export type Answered = { question: Question; replaced: string | null; task: Task };

/**
 * `seen`: the answer that the person saw, null where there was none yet. `replace`: the person wants theirs to stand, whatever
 * is there.
 */
export type AnswerOptions = {
  seen?: string | null | undefined;
  replace?: boolean;
  /** Whether a feature is looked at as a whole before it is done. */
  verify?: boolean;
};

/** The question as it is to be put to a person, who is spared one that they could not answer. */
export const questionToAnswer = (queue: Queue, id: number, { replace = false }: AnswerOptions) =>
  queue.store.read(async (db): Promise<Question> => {
    const question = await requireQuestion(db, id);
    if (!replace) requireOpen(question, null);
    return question;
  });

/**
 * The last open blocking question answered puts its task back into the queue. Of several people who answer at once the first
 * wins: the others are told the answer that stands.
 */
export function answer(
  queue: Queue,
  id: number,
  given: string,
  { seen, replace = false, verify = false }: AnswerOptions = {},
): Promise<Answered> {
  const at = queue.now();
  if (given.trim() === '') throw new Refusal('The answer is empty; say what the agent should know.');
  requireStorable('answer', given);
  const text = queue.mask(given);
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

type Moment = { verify: boolean; at: number };

async function saveWithin(db: Writer, question: Question, text: string, moment: Moment): Promise<void> {
  const { id, task_id, answer: replaced } = question;
  const { at } = moment;
  await saveAnswer(db, id, text, at);
  await appendEvents(db, [{ at, kind: 'question.answered', task_id, data: { question: id, replaced } }]);
  const task = await requireTask(db, task_id);
  if (task.status !== 'needs_input' || (await countOpenBlocking(db, task.id)) > 0) return;
  const approved = await approvedSession(db, task);
  if (approved !== null) return completeApproved(db, task, approved, moment);
  const isBlocked = task.blocked_by !== null || task.open_blockers > 0;
  await changeStatus(db, task, { cause: 'answer', to: isBlocked ? 'blocked' : 'pending', at });
}

/** Accepts the done of a task that asks for that; false where it asks for nothing of the kind. */
export async function approveDone(db: Writer, { id, status }: StoredTask, moment: Moment): Promise<boolean> {
  if (status !== 'needs_input') return false;
  const open = (await approvalsOfTask(db, id)).find(({ answer: given }) => given === null);
  const question = open === undefined ? null : await findQuestion(db, open.id);
  if (question === null) return false;
  await saveWithin(db, question, APPROVE, moment);
  return true;
}

async function requireQuestion(db: Reader, id: number): Promise<Question> {
  const question = await findQuestion(db, id);
  if (question !== null) return question;
  throw new Refusal(`There is no question ${id}; ralph status shows those that are open.`);
}

function requireOpen({ id, answer: standing }: Question, text: string | null): void {
  if (standing === null || standing === text) return;
  throw new Refusal(
    `Question ${id} has been answered already: "${shortened(folded(standing), MAX_SHOWN)}". Say that yours is to replace it (--replace, or replace: true), or leave it so.`,
  );
}
