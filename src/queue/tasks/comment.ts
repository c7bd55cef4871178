import type { TaskComment } from '../../domain/tasks/task.ts';
import type { Writer } from '../../store/database.ts';
import { appendEvents } from '../../store/events.ts';
import { insertTaskComments } from '../../store/tasks/task-comments.ts';
import type { Queue } from '../queue.ts';
import { requireTask } from '../require.ts';

/** Adds a text that the task's next session will read. */
export function addComment(queue: Queue, task_id: number, body: string): Promise<void> {
  const at = queue.now();
  return queue.store.write(async (db) => {
    await requireTask(db, task_id);
    await commentOn(db, task_id, { author: 'system', body, created: at });
  });
}

/** Adds a comment inside an open transaction. */
export async function commentOn(db: Writer, task_id: number, comment: TaskComment): Promise<void> {
  await insertTaskComments(db, [{ task_id, session_id: null, ...comment }]);
  await appendEvents(db, [{ at: comment.created, kind: 'comment.added', task_id }]);
}
