// The only place that changes a status, so that transitions, counters and events always agree.

import { Refusal } from '../../domain/refusal.ts';
import { type FeatureStatus, isOnHold } from '../../domain/tasks/feature.ts';
import { type Cause, isSatisfied, requireTransition, stateName } from '../../domain/tasks/status.ts';
import type { Status } from '../../domain/tasks/task.ts';
import { toStorable } from '../../domain/text/text.ts';
import type { Writer } from '../../store/database.ts';
import { appendEvents } from '../../store/events.ts';
import { appendEvidence } from '../../store/sessions/evidence.ts';
import { sessionsOfTask } from '../../store/sessions/sessions.ts';
import { recountBlockers, unblockedDependents, unblockedInFeature } from '../../store/tasks/blockers.ts';
import { findFeature, setFeatureStatus } from '../../store/tasks/features.ts';
import { setWaiting } from '../../store/tasks/pull-parts.ts';
import { type TaskPatch, updateTask } from '../../store/tasks/tasks.ts';
import type { Queue } from '../queue.ts';
import { requireTask } from '../require.ts';
import { commentOn } from './comment.ts';

type StatusChange = {
  cause: Cause;
  to: Status;
  at: number;
  session_id?: string;
  /** Fields that change together with the status. */
  patch?: Omit<TaskPatch, 'status' | 'updated' | 'completed' | 'archived'>;
};

export async function changeStatus(
  db: Writer,
  task: { id: number; status: Status },
  change: StatusChange,
): Promise<void> {
  const { cause, to, at, session_id = null, patch = {} } = change;
  requireTransition(cause, task.id, task.status, to);
  await updateTask(db, task.id, {
    ...patch,
    status: to,
    updated: at,
    completed: to === 'done' ? at : null,
    // A task that moves on is wanted again.
    archived: null,
  });
  await appendEvents(db, [
    { at, kind: 'task.status', task_id: task.id, session_id, data: { from: task.status, to, cause } },
  ]);
  // The caller that makes a task done adds its evidence. The evidence that a task is open again is added here.
  if (task.status === 'done') await appendEvidence(db, [{ at, kind: 'reopened', task_id: task.id }]);
  if (task.status === 'blocked') await setWaiting(db, task.id, null);
  if (task.status === 'blocked' || isSatisfied(task.status) !== isSatisfied(to))
    await refreshDependents(db, task.id, at);
}

/** Counts the blockers of the tasks that depend on this one anew, and unblocks those that have none left. */
export async function refreshDependents(db: Writer, id: number, at: number): Promise<void> {
  await recountBlockers(db, { dependency: id });
  await unblock(db, await unblockedDependents(db, id), at);
}

async function unblock(db: Writer, ids: readonly number[], at: number): Promise<void> {
  for (const id of ids)
    await changeStatus(db, { id, status: 'blocked' }, { cause: 'unblock', to: 'pending', at });
}

/** The tasks of a feature wait while it is planned or deprecated. Call it after the new status is saved. */
export async function applyFeatureStatus(
  db: Writer,
  feature: string,
  { from, to, at }: { from: FeatureStatus; to: FeatureStatus; at: number },
): Promise<void> {
  if (isOnHold(from) === isOnHold(to)) return;
  await recountBlockers(db, { feature });
  await unblock(db, await unblockedInFeature(db, feature), at);
}

/** The session that finished the task: a review looks at its work. */
export const doneSession = (queue: Queue, task_id: number): Promise<string> =>
  queue.store.read(async (db) => {
    const { status } = await requireTask(db, task_id);
    const done = (await sessionsOfTask(db, task_id)).findLast(({ outcome }) => outcome === 'done');
    if (status !== 'done' || done === undefined)
      throw new Refusal(
        `Task ${task_id} is ${stateName(status)}; only a task that a session finished can be reviewed.`,
      );
    return done.id;
  });

/** Puts a done task back into the queue with the requested changes; its dependents wait again. */
export function reopen(queue: Queue, task_id: number, changes: string): Promise<void> {
  const at = queue.now();
  return queue.store.write(async (db) => {
    const task = await requireTask(db, task_id);
    const patch = { attempts: 0, stuck_count: 0 };
    await changeStatus(db, task, { cause: 'reopen', to: 'pending', at, patch });
    await reopenFeatures(db, [task.feature], at);
    const body = toStorable(`The work was done, and a review wants changes:\n\n${changes}`);
    await commentOn(db, task_id, { author: 'system', body, created: at });
  });
}

/** New work makes a done feature active again. */
export async function reopenFeatures(
  db: Writer,
  features: readonly (string | null)[],
  at: number,
): Promise<void> {
  for (const feature of new Set(features))
    if (feature !== null && (await findFeature(db, feature))?.status === 'done')
      await changeFeatureStatus(db, feature, 'active', at);
}

export async function changeFeatureStatus(
  db: Writer,
  feature: string,
  to: FeatureStatus,
  at: number,
): Promise<void> {
  const from = await setFeatureStatus(db, feature, to, at);
  if (from === null) return;
  await appendEvents(db, [{ at, kind: 'feature.saved', data: { feature } }]);
  await applyFeatureStatus(db, feature, { from, to, at });
}
