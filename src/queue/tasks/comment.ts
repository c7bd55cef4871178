import { Refusal } from '../../domain/refusal.ts';
import { isSatisfied, stateName } from '../../domain/tasks/status.ts';
import type { Task, TaskComment } from '../../domain/tasks/task.ts';
import { requireStorable } from '../../domain/text/text.ts';
import type { Writer } from '../../store/database.ts';
import { appendEvents } from '../../store/events.ts';
import { insertTaskComments } from '../../store/tasks/task-comments.ts';
import type { Queue } from '../queue.ts';
import { requireTask } from '../require.ts';
import { publicTask } from './list.ts';

/** Adds a text of Ralph's that the task's next session will read. */
export function addComment(queue: Queue, task_id: number, body: string): Promise<void> {
  const at = queue.now();
  return queue.store.write(async (db) => {
    await requireTask(db, task_id);
    await commentOn(db, task_id, { author: 'system', body, created: at });
  });
}

/** A person says something about a task, whatever its state. */
export function comment(queue: Queue, task_id: number, text: string): Promise<Task> {
  const at = queue.now();
  const body = text.trim();
  if (body === '') throw new Refusal('The comment is empty; say what the next session should know.');
  requireStorable('comment', body);
  return queue.store.write(async (db) => {
    const task = await requireTask(db, task_id);
    await commentOn(db, task_id, { author: 'human', body, created: at });
    return publicTask(task);
  });
}

/** The same on every screen: who will read the comment. */
export function commentedMessage({ id, title, status }: Task): string {
  const reader = isSatisfied(status)
    ? `it is ${stateName(status)}, so a session reads it only if you queue the task again`
    : status === 'in_progress'
      ? 'the session at work does not see it, but the next one does'
      : 'its next session reads it';
  return `Commented on #${id} ${title}; ${reader}.`;
}

/** Adds a comment inside an open transaction. */
export async function commentOn(db: Writer, task_id: number, comment: TaskComment): Promise<void> {
  await insertTaskComments(db, [{ task_id, session_id: null, ...comment }]);
  await appendEvents(db, [{ at: comment.created, kind: 'comment.added', task_id }]);
}
