import { Refusal } from '../../domain/refusal.ts';
import { stateName } from '../../domain/tasks/status.ts';
import type { Task } from '../../domain/tasks/task.ts';
import type { Writer } from '../../store/database.ts';
import { appendEvents } from '../../store/events.ts';
import { type StoredTask, updateTask } from '../../store/tasks/tasks.ts';
import type { Queue } from '../queue.ts';
import { requireTask } from '../require.ts';
import { changeStatus, reopenFeatures } from '../tasks/change-status.ts';
import { applyEdit, requireNotDefined, type TaskEdit } from '../tasks/edit.ts';

/** Completes a draft's description, and queues it unless `keep_draft`. */
export function enrich(
  queue: Queue,
  id: number,
  edit: TaskEdit,
  { keep_draft = false }: { keep_draft?: boolean } = {},
): Promise<Task> {
  const at = queue.now();
  return queue.store.write(async (db) => {
    const task = await requireTask(db, id);
    requireNotDefined(task, edit);
    await enrichWithin(db, task, edit, { keep_draft }, at);
    return requireTask(db, id);
  });
}

/** `enrich` inside an open transaction. */
export async function enrichWithin(
  db: Writer,
  task: StoredTask,
  edit: TaskEdit,
  { keep_draft }: { keep_draft: boolean },
  at: number,
): Promise<void> {
  const { id, status } = task;
  if (status !== 'draft' && status !== 'pending')
    throw new Refusal(`Task ${id} is ${stateName(status)}; only drafts and queued tasks are enriched.`);
  await applyEdit(db, task, edit, at);
  await updateTask(db, id, { enriched_at: at, updated: at });
  await appendEvents(db, [{ at, kind: 'task.edited', task_id: id, data: { changed: ['enriched_at'] } }]);
  if (status !== 'draft' || keep_draft) return;
  await changeStatus(db, task, { cause: 'approve', to: 'pending', at });
  await reopenFeatures(db, [edit.feature ?? task.feature], at);
}
