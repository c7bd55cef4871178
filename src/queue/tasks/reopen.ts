import { Refusal } from '../../domain/refusal.ts';
import { keepable } from '../../domain/text/text.ts';
import { sessionsOfTask } from '../../store/sessions/sessions.ts';
import type { Queue } from '../queue.ts';
import { requireTask } from '../require-task.ts';
import { changeStatus } from './change-status.ts';
import { commentOn } from './comment.ts';
import { reopenFeatures } from './feature-status.ts';

/** The session that a task was done in; its work is what a review looks at. */
export const doneSession = (queue: Queue, task_id: number): Promise<string> =>
  queue.store.read(async (db) => {
    const { status } = await requireTask(db, task_id);
    const done = (await sessionsOfTask(db, task_id)).findLast(({ outcome }) => outcome === 'done');
    if (status !== 'done' || done === undefined)
      throw new Refusal(`Task ${task_id} is ${status}; only what a session has done can be reviewed.`);
    return done.id;
  });

/** A done task goes back into the queue with what must change; what waited for it waits again. */
export function reopen(queue: Queue, task_id: number, changes: string): Promise<void> {
  const at = queue.now();
  return queue.store.write(async (db) => {
    const task = await requireTask(db, task_id);
    const patch = { attempts: 0, stuck_count: 0 };
    await changeStatus(db, task, { cause: 'reopen', to: 'pending', at, patch });
    await reopenFeatures(db, [task.feature], at);
    const body = keepable(`The work was done, and a review wants changes:\n\n${changes}`);
    await commentOn(db, task_id, { author: 'system', body, created: at });
  });
}
