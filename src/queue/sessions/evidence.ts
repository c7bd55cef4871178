import { type GateResult, latestResults } from '../../domain/sessions/gate.ts';
import { type Flag, isOpenBlocker } from '../../domain/tasks/flag.ts';
import { isOpenQuestion, type Question } from '../../domain/tasks/task.ts';
import { gateRunsOfSession } from '../../store/sessions/gate-runs.ts';
import { findReceipt } from '../../store/sessions/receipts.ts';
import { flagsOfTask } from '../../store/tasks/flags.ts';
import { questionsOfTask } from '../../store/tasks/questions.ts';
import type { Queue } from '../queue.ts';

/** What the end of a session is based on, for messages and pages. */
export type Evidence = {
  gates: readonly GateResult[];
  commit: string | null;
  /** The tree that the gates proved; null if they proved none. */
  tree_hash: string | null;
  /** Open questions that block the task. */
  questions: readonly Pick<Question, 'id' | 'question'>[];
  /** Open flags that block the task. */
  flags: readonly Flag[];
};

export const evidence = (queue: Queue, session: { id: string; task_id: number }): Promise<Evidence> =>
  queue.store.read(async (db) => {
    const gates = await gateRunsOfSession(db, session.id);
    const receipt = await findReceipt(db, session.task_id);
    const questions = await questionsOfTask(db, session.task_id);
    const own = receipt?.session_id === session.id ? receipt : null;
    return {
      gates: latestResults(gates),
      commit: own?.commit ?? null,
      tree_hash: own?.tree_hash ?? null,
      questions: questions
        .filter((question) => question.blocking && isOpenQuestion(question))
        .map(({ id, question }) => ({ id, question })),
      flags: (await flagsOfTask(db, session.task_id)).filter(isOpenBlocker),
    };
  });
