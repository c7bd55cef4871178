import type { ProcessIdentity } from '../../domain/sessions/session.ts';
import { isSatisfied } from '../../domain/tasks/status.ts';
import type { Question, Task } from '../../domain/tasks/task.ts';
import { openSessions } from '../../store/sessions/sessions.ts';
import { openQuestions } from '../../store/tasks/questions.ts';
import { statusesOf } from '../../store/tasks/tasks.ts';
import type { Queue } from '../queue.ts';

export type WaitingOn = {
  /** Those it waits for itself; `why` looks at what is behind them, too. */
  waits_for: readonly number[];
  question: Pick<Question, 'id' | 'question'> | null;
  /** `isAlive`: whether its process is there. */
  session: { id: string; started: number; root: string | null; isAlive: boolean } | null;
};

/** What keeps each of these tasks from being claimed, in short; by task, in a few looks for all of them. */
export const waitingOn = (
  queue: Queue,
  tasks: readonly Task[],
  isAlive: (identity: ProcessIdentity) => boolean,
): Promise<Map<number, WaitingOn>> =>
  queue.store.read(async (db) => {
    const waiting = tasks.filter(({ status, open_blockers }) => open_blockers > 0 && !isSatisfied(status));
    const statuses = await statusesOf(db, [...new Set(waiting.flatMap(({ depends_on }) => depends_on))]);
    const held = new Map<number, WaitingOn>(
      tasks.map(({ id }) => [id, { waits_for: [], question: null, session: null }]),
    );
    const say = (id: number, more: Partial<WaitingOn>): void => {
      const known = held.get(id);
      if (known !== undefined) held.set(id, { ...known, ...more });
    };
    for (const { id, depends_on } of waiting)
      say(id, { waits_for: depends_on.filter((one) => !isSatisfied(statuses.get(one) ?? 'done')) });
    const asking = new Set(tasks.filter(({ status }) => status === 'needs_input').map(({ id }) => id));
    if (asking.size > 0)
      for (const { id, task_id, question, blocking } of await openQuestions(db))
        if (blocking && asking.has(task_id)) say(task_id, { question: { id, question } });
    for (const {
      session: { id, task_id, started, root },
      owner,
    } of await openSessions(db))
      say(task_id, {
        session: { id, started, root, isAlive: isAlive(owner) },
      });
    return held;
  });
