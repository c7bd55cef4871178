import { Refusal } from '../../domain/refusal.ts';
import { findCycle } from '../../domain/tasks/dag.ts';
import type { Writer } from '../../store/database.ts';
import { appendEvents } from '../../store/events.ts';
import { recountBlockers } from '../../store/tasks/blockers.ts';
import {
  anyReaches,
  deleteDependencies,
  edgesBelow,
  insertDependencies,
} from '../../store/tasks/task-dependencies.ts';
import { findStatuses, type StoredTask, updateTask } from '../../store/tasks/tasks.ts';
import { requireTask } from '../require.ts';
import { changeStatus } from './change-status.ts';
import { requireDependency } from './insert-tasks.ts';

/** Replaces the task's dependencies. Refuses a set that closes a cycle, and names the cycle. */
export async function setDependencies(
  db: Writer,
  task: StoredTask,
  wanted: readonly number[],
  at: number,
): Promise<void> {
  const added = [...new Set(wanted)].filter((id) => !task.depends_on.includes(id));
  const removed = task.depends_on.filter((id) => !wanted.includes(id));
  if (added.length === 0 && removed.length === 0) return;
  const statuses = await findStatuses(db, wanted);
  for (const id of added) requireDependency(`Task ${task.id}`, task.id, statuses.has(id), id);
  await requireAcyclic(db, task.id, added);

  await deleteDependencies(db, task.id, removed);
  await insertDependencies(
    db,
    added.map((depends_on) => ({ task_id: task.id, depends_on })),
  );
  await updateTask(db, task.id, { updated: at });
  const event = (kind: 'dependency.added' | 'dependency.removed') => (depends_on: number) => ({
    at,
    kind,
    task_id: task.id,
    data: { depends_on },
  });
  await appendEvents(db, [
    ...added.map(event('dependency.added')),
    ...removed.map(event('dependency.removed')),
  ]);
  await refreshBlockers(db, task, at);
}

/** Counts the blockers of a task anew, after its dependencies or its feature changed, and unblocks it if none is left. */
export async function refreshBlockers(
  db: Writer,
  { id, status, blocked_by }: Pick<StoredTask, 'id' | 'status' | 'blocked_by'>,
  at: number,
): Promise<void> {
  await recountBlockers(db, { id });
  const { open_blockers } = await requireTask(db, id);
  if (status === 'blocked' && blocked_by === null && open_blockers === 0)
    await changeStatus(db, { id, status }, { cause: 'unblock', to: 'pending', at });
}

/**
 * Removes the dependencies that are not wanted any more; returns the same value if there are none. Call it for all tasks of a
 * batch before any of them gets a new dependency: reversing an edge is then no cycle.
 */
export async function dropDependencies(
  db: Writer,
  task: StoredTask,
  wanted: readonly number[],
  at: number,
): Promise<StoredTask> {
  const remaining = task.depends_on.filter((id) => wanted.includes(id));
  if (remaining.length === task.depends_on.length) return task;
  await setDependencies(db, task, remaining, at);
  return requireTask(db, task.id);
}

async function requireAcyclic(db: Writer, id: number, added: readonly number[]): Promise<void> {
  if (added.length === 0 || !(await anyReaches(db, added, id))) return;
  for (const dependency of added) {
    const cycle = await cycleThrough(db, id, dependency);
    if (cycle !== null) {
      throw new Refusal(
        `Task ${id} cannot depend on task ${dependency}: that closes the cycle ${cycle.join(' → ')}; remove one of these dependencies first.`,
      );
    }
  }
}

/** The cycle that the edge from `id` to `dependency` would close, starting and ending at `id`, or null. */
export async function cycleThrough(db: Writer, id: number, dependency: number): Promise<number[] | null> {
  const below = new Map(await edgesBelow(db, dependency));
  if (!below.has(dependency) && id !== dependency) return null;
  return findCycle(new Map([[id, [dependency]], ...[...below].filter(([from]) => from !== id)]));
}
