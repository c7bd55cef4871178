import { appendEvents } from '../store/events.ts';
import { insertTaskComments } from '../store/task-comments.ts';
import type { Queue } from './queue.ts';
import { requireTask } from './require-task.ts';

/** Something the next session of the task should read. */
export function addComment(queue: Queue, task_id: number, body: string): Promise<void> {
  const at = queue.now();
  return queue.store.write(async (db) => {
    await requireTask(db, task_id);
    await insertTaskComments(db, [{ task_id, session_id: null, author: 'system', body, created: at }]);
    await appendEvents(db, [{ at, kind: 'comment.added', task_id }]);
  });
}
