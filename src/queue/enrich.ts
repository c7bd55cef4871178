import { Refusal } from '../domain/refusal.ts';
import type { Task } from '../domain/task.ts';
import { appendEvents } from '../store/events.ts';
import { updateTask } from '../store/tasks.ts';
import { changeStatus } from './change-status.ts';
import { applyEdit, requireNotDefined, type TaskEdit } from './edit.ts';
import type { Queue } from './queue.ts';
import { requireTask } from './require-task.ts';

/** Makes a draft ready to be done, and queues it unless it is to stay a draft. */
export function enrich(
  queue: Queue,
  id: number,
  edit: TaskEdit,
  { keep_draft = false }: { keep_draft?: boolean } = {},
): Promise<Task> {
  const at = queue.now();
  return queue.store.write(async (db) => {
    const task = await requireTask(db, id);
    if (task.status !== 'draft' && task.status !== 'pending')
      throw new Refusal(`Task ${id} is ${task.status}; only drafts and pending tasks are enriched.`);
    requireNotDefined(task, edit);
    await applyEdit(db, task, edit, at);
    await updateTask(db, id, { enriched_at: at, updated: at });
    await appendEvents(db, [{ at, kind: 'task.edited', task_id: id, data: { changed: ['enriched_at'] } }]);
    if (task.status === 'draft' && !keep_draft)
      await changeStatus(db, task, { cause: 'approve', to: 'pending', at });
    return requireTask(db, id);
  });
}
