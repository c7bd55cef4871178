import { Refusal } from '../domain/refusal.ts';
import type { Question, Task } from '../domain/task.ts';
import { folded, requireStorable, shortened } from '../domain/text.ts';
import type { Reader } from '../store/database.ts';
import { appendEvents } from '../store/events.ts';
import { countOpenBlocking, findQuestion, saveAnswer } from '../store/questions.ts';
import { changeStatus } from './change-status.ts';
import type { Queue } from './queue.ts';
import { requireTask } from './require-task.ts';
import { requireUnchanged } from './require-unchanged.ts';

/** More of an answer would hide the sentence. */
const MAX_SHOWN = 200;

export type Answered = { question: Question; replaced: string | null; task: Task };

/**
 * `seen`: the answer that the person saw, null where there was none yet. `replace`: the person wants theirs to stand, whatever
 * is there.
 */
export type AnswerOptions = { seen?: string | null | undefined; replace?: boolean };

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
  { seen, replace = false }: AnswerOptions = {},
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
    await saveAnswer(db, id, text, at);
    await appendEvents(db, [
      {
        at,
        kind: 'question.answered',
        task_id: question.task_id,
        data: { question: id, replaced: question.answer },
      },
    ]);
    const task = await requireTask(db, question.task_id);
    if (task.status === 'needs_input' && (await countOpenBlocking(db, task.id)) === 0) {
      const isBlocked = task.blocked_by !== null || task.open_blockers > 0;
      await changeStatus(db, task, { cause: 'answer', to: isBlocked ? 'blocked' : 'pending', at });
    }
    return {
      question: { ...question, answer: text, answered: at },
      replaced: question.answer,
      task: await requireTask(db, task.id),
    };
  });
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
