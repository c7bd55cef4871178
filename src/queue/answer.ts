import { Refusal } from '../domain/refusal.ts';
import type { Question, Task } from '../domain/task.ts';
import { requireStorable } from '../domain/text.ts';
import { appendEvents } from '../store/events.ts';
import { countOpenBlocking, findQuestion, saveAnswer } from '../store/questions.ts';
import { changeStatus } from './change-status.ts';
import type { Queue } from './queue.ts';
import { requireTask } from './require-task.ts';
import { requireUnchanged } from './require-unchanged.ts';

export type Answered = { question: Question; replaced: string | null; task: Task };

/**
 * The last open blocking question answered puts its task back into the queue. Answering again replaces the answer.
 * `seen`: the answer that whoever answers saw, null where there was none yet.
 */
export function answer(queue: Queue, id: number, text: string, seen?: string | null): Promise<Answered> {
  const at = queue.now();
  if (text.trim() === '') throw new Refusal('The answer is empty; say what the agent should know.');
  requireStorable('answer', text);
  return queue.store.write(async (db) => {
    const question = await findQuestion(db, id);
    if (question === null)
      throw new Refusal(`There is no question ${id}; ralph status shows those that are open.`);
    if (seen !== undefined)
      requireUnchanged(`to question ${id}`, {
        current: { answer: question.answer },
        wanted: { answer: text },
        seen: { answer: seen },
      });
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
