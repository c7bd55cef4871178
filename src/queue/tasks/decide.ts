// A person's one-word decisions about tasks: approve, skip, retry.
import { Refusal } from '../../domain/refusal.ts';
import { isSatisfied, stateName } from '../../domain/tasks/status.ts';
import type { Task } from '../../domain/tasks/task.ts';
import { requireStorable } from '../../domain/text/text.ts';
import type { Writer } from '../../store/database.ts';
import { appendEvidence } from '../../store/sessions/evidence.ts';
import type { StoredTask } from '../../store/tasks/tasks.ts';
import { handOver } from '../pull-requests/closed-pull.ts';
import type { Queue } from '../queue.ts';
import { requireTask } from '../require.ts';
import { isUnproven } from '../sessions/verify-evidence.ts';
import { approveDone } from './answer.ts';
import { changeStatus, reopenFeatures } from './change-status.ts';
import { commentOn } from './comment.ts';
import { completeFeature } from './complete-feature.ts';
import { setDependencies } from './link.ts';

export const approve = (queue: Queue, ids: readonly number[]): Promise<Task[]> =>
  forEach(queue, ids, approveTask);

type DraftDecisions = {
  /** An id among these can also be a done without a change, or one that nothing proves: it is accepted. */
  queued: readonly number[];
  dropped: readonly number[];
  verify: boolean;
  /** Dependencies that queued drafts get in addition to their own. */
  dependencies?: readonly { task_id: number; depends_on: number }[];
};

/** Queues and drops drafts in one transaction. */
export const decideDrafts = (
  queue: Queue,
  { queued, dropped, verify, dependencies = [] }: DraftDecisions,
): Promise<Task[]> =>
  forEach(queue, [...queued, ...dropped], async (db, task, at) => {
    const { id, status } = task;
    if (!dropped.includes(id)) {
      const more = dependencies.filter(({ task_id }) => task_id === id).map((one) => one.depends_on);
      await setDependencies(db, task, [...task.depends_on, ...more], at);
      if (!(await approveDone(db, task, { verify, at })) && !(await vouchFor(db, task, at)))
        await approveTask(db, task, at);
      return;
    }
    if (queued.includes(id)) throw new Refusal(`Task ${id} cannot be both queued and dropped.`);
    if (status !== 'draft')
      throw new Refusal(`Task ${id} is ${stateName(status)}, not a draft; to skip it: ralph skip ${id}`);
    await skipTask(db, task, at, verify);
  });

/** A skipped task satisfies its dependents like a done one. */
export const skip = (
  queue: Queue,
  ids: readonly number[],
  { verify = false }: { verify?: boolean } = {},
): Promise<Task[]> => forEach(queue, ids, (db, task, at) => skipTask(db, task, at, verify));

/**
 * Puts tasks back into the queue. Failed and skipped ones, and a done that nothing proves, get a full set of attempts; blocked
 * ones keep their counts.
 * `note`: a text for the next session.
 */
export function retry(
  queue: Queue,
  ids: readonly number[],
  { note = '' }: { note?: string } = {},
): Promise<Task[]> {
  requireStorable('note', note);
  return forEach(queue, ids, async (db, task, at) => {
    await retryTask(db, task, at);
    if (note.trim() !== '') await commentOn(db, task.id, { author: 'human', body: note.trim(), created: at });
  });
}

/** `approve` inside an open transaction. */
export const approveTask = (db: Writer, task: StoredTask, at: number): Promise<void> =>
  changeStatus(db, task, { cause: 'approve', to: 'pending', at });

export async function skipTask(db: Writer, task: StoredTask, at: number, verify: boolean): Promise<void> {
  await changeStatus(db, task, { cause: 'skip', to: 'skipped', at });
  await handOver(db, task.id, at);
  await completeFeature(db, task, { verify, at });
}

export async function retryTask(db: Writer, task: StoredTask, at: number): Promise<void> {
  if (task.status === 'blocked') return unblock(db, task, at);
  // A proven done stays: new work is a new task.
  const isForged = task.status === 'done' && (await isUnproven(db, task.id));
  if (isForged) await appendEvidence(db, [{ at, kind: 'accepted', task_id: task.id }]);
  const cause = isForged ? 'reopen' : 'retry';
  const patch = { attempts: 0, stuck_count: 0, blocked_by: null, not_before: null };
  await changeStatus(db, task, { cause, to: 'pending', at, patch });
}

/** A person vouches for a done that nothing proves. False if the task is no such one. */
async function vouchFor(db: Writer, { id, status }: StoredTask, at: number): Promise<boolean> {
  if (status !== 'done' || !(await isUnproven(db, id))) return false;
  await appendEvidence(db, [{ at, kind: 'accepted', task_id: id }]);
  await commentOn(db, id, { author: 'system', body: VOUCHED, created: at });
  return true;
}

const VOUCHED = 'It was done without a proof, and a person vouched for it.';

/** A person removed the external blocker; open dependencies still block the task. */
const unblock = (db: Writer, task: StoredTask, at: number): Promise<void> =>
  changeStatus(db, task, { cause: 'unblock', to: 'pending', at, patch: { blocked_by: null } });

/** Decides all of them or none. */
function forEach(
  queue: Queue,
  ids: readonly number[],
  decide: (db: Writer, task: StoredTask, at: number) => Promise<void>,
): Promise<Task[]> {
  const at = queue.now();
  const unique = [...new Set(ids)];
  return queue.store.write(async (db) => {
    for (const id of unique) await decide(db, await requireTask(db, id), at);
    const tasks = await Promise.all(unique.map((id) => requireTask(db, id)));
    const open = tasks.filter(({ status }) => !isSatisfied(status));
    await reopenFeatures(
      db,
      open.map(({ feature }) => feature),
      at,
    );
    return tasks;
  });
}
