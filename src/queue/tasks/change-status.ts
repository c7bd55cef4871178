// The one place where a status changes, so that the table of transitions, the counters and the events cannot part.
import { type Cause, isSatisfied, requireTransition } from '../../domain/tasks/status.ts';
import type { Status } from '../../domain/tasks/task.ts';
import type { Writer } from '../../store/database.ts';
import { appendEvents } from '../../store/events.ts';
import { shiftDependents, unblockedDependents } from '../../store/tasks/blockers.ts';
import { type TaskPatch, updateTask } from '../../store/tasks/tasks.ts';

export type StatusChange = {
  cause: Cause;
  to: Status;
  at: number;
  session_id?: string;
  /** What changes together with the status. */
  patch?: Omit<TaskPatch, 'status' | 'updated' | 'completed'>;
};

export async function changeStatus(
  db: Writer,
  task: { id: number; status: Status },
  change: StatusChange,
): Promise<void> {
  const { cause, to, at, session_id = null, patch = {} } = change;
  requireTransition(cause, task.id, task.status, to);
  await updateTask(db, task.id, { ...patch, status: to, updated: at, completed: to === 'done' ? at : null });
  await appendEvents(db, [
    { at, kind: 'task.status', task_id: task.id, session_id, data: { from: task.status, to, cause } },
  ]);
  if (isSatisfied(task.status) === isSatisfied(to)) return;
  await shiftDependents(db, task.id, isSatisfied(to) ? -1 : 1);
  if (isSatisfied(to)) await unblockDependents(db, task.id, at);
}

async function unblockDependents(db: Writer, id: number, at: number): Promise<void> {
  for (const dependent of await unblockedDependents(db, id)) {
    await changeStatus(db, { id: dependent, status: 'blocked' }, { cause: 'unblock', to: 'pending', at });
  }
}
