import { sessionsOfTask } from '../../store/sessions/sessions.ts';
import type { Queue } from '../queue.ts';

/** The task's sessions before this one, since it was last done; oldest first. */
export const earlierAttempts = (queue: Queue, task_id: number, session_id: string): Promise<string[]> =>
  queue.store.read(async (db) => {
    const before = (await sessionsOfTask(db, task_id)).filter(({ id }) => id !== session_id);
    const lastDone = before.findLastIndex(({ outcome }) => outcome === 'done');
    return before.slice(lastDone + 1).map(({ id }) => id);
  });

/** Whether no session of the task was begun after this one. */
export const isLastAttempt = (queue: Queue, task_id: number, session_id: string): Promise<boolean> =>
  queue.store.read(async (db) => (await sessionsOfTask(db, task_id)).at(-1)?.id === session_id);

/** The model that the agent of the task's last session asked for. */
export const askedModel = (queue: Queue, task_id: number): Promise<string | null> =>
  queue.store.read(async (db) => {
    const over = (await sessionsOfTask(db, task_id)).filter(({ ended }) => ended !== null);
    return over.at(-1)?.next_model ?? null;
  });
