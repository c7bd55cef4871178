// A person removes tasks. A task with a history is archived: its sessions, receipts and commits still refer to it.
import { Refusal } from '../../domain/refusal.ts';
import { isSatisfied, stateName } from '../../domain/tasks/status.ts';
import { nameTasks, type Task } from '../../domain/tasks/task.ts';
import type { Reader, Writer } from '../../store/database.ts';
import { appendEvents } from '../../store/events.ts';
import { markNewQueue } from '../../store/metadata.ts';
import { appendEvidence } from '../../store/sessions/evidence.ts';
import { deleteTask, hasTraces } from '../../store/tasks/remove.ts';
import { definedEdges, findDependents } from '../../store/tasks/task-dependencies.ts';
import { findTasks, type StoredTask, updateTask } from '../../store/tasks/tasks.ts';
import type { Queue } from '../queue.ts';
import { requireTask } from '../require.ts';
import { skipTask } from './decide.ts';
import { setDependencies } from './link.ts';

/** `replacement`: the task that dependents wait for instead. */
export type Removal = { ids: readonly number[]; replacement: number | null };

/** `archived`: its history stays. */
export type RemovedTask = Pick<Task, 'id' | 'title'> & { archived: boolean };

/** All of them or none. */
export function removeTasks(
  queue: Queue,
  removal: Removal,
  { verify }: { verify: boolean },
): Promise<RemovedTask[]> {
  const at = queue.now();
  return queue.store.write(async (db) => {
    const { tasks, dependents } = await requireRemovable(db, removal);
    for (const dependent of dependents)
      await setDependencies(db, dependent, repoint(dependent.depends_on, removal), at);
    // A queue that a person emptied is not a lost one.
    await markNewQueue(db);
    const erased = await eraseTasks(db, tasks, at);
    const removed: RemovedTask[] = [];
    for (const task of tasks) {
      const archived = !erased.has(task.id);
      if (archived) await archiveTask(db, task, at, verify);
      const { id, title } = task;
      await appendEvents(db, [{ at, kind: 'task.removed', task_id: id, data: { title, archived } }]);
      removed.push({ id, title, archived });
    }
    return removed;
  });
}

/** Refuses like `removeTasks`; otherwise names the tasks that definition files define, and the dependents whose link they give. */
export const checkTaskRemoval = (
  queue: Queue,
  removal: Removal,
): Promise<{ tasks: StoredTask[]; dependents: StoredTask[] }> =>
  queue.store.read(async (db) => {
    const { tasks, dependents } = await requireRemovable(db, removal);
    const fileEdges = await definedEdges(db);
    const isInFile = ({ id }: StoredTask): boolean =>
      fileEdges.get(id)?.some((one) => removal.ids.includes(one)) ?? false;
    return {
      tasks: tasks.filter(({ defined }) => defined !== null),
      dependents: dependents.filter(isInFile),
    };
  });

/** The dependencies without the removed tasks. */
export const repoint = (depends_on: readonly number[], { ids, replacement }: Removal): number[] => {
  const left = depends_on.filter((id) => !ids.includes(id));
  return left.length === depends_on.length || replacement === null
    ? left
    : [...new Set([...left, replacement])].sort((a, b) => a - b);
};

async function requireRemovable(
  db: Reader,
  { ids, replacement }: Removal,
): Promise<{ tasks: StoredTask[]; dependents: StoredTask[] }> {
  const tasks: StoredTask[] = [];
  const dependents = new Set<number>();
  for (const id of new Set(ids)) {
    const task = await requireTask(db, id);
    if (task.status === 'in_progress')
      throw new Refusal(`Task ${id} is ${stateName(task.status)}; wait until its session has ended.`);
    if (task.archived !== null)
      throw new Refusal(`Task ${id} was removed already; ralph show ${id} shows it.`);
    tasks.push(task);
    for (const dependent of await findDependents(db, id))
      if (!ids.includes(dependent)) dependents.add(dependent);
  }
  const waiting = (await findTasks(db, [...dependents])).filter(({ status }) => !isSatisfied(status));
  const [first] = waiting;
  if (first === undefined) return { tasks, dependents: [] };
  if (replacement === null)
    throw new Refusal(
      `${nameTasks(waiting)} would lose a dependency; name a task to wait for instead with --replace-with ID, or change ${waiting.length === 1 ? 'it' : 'them'} first: ralph edit ${first.id} --depends-on "".`,
    );
  if ((await requireTask(db, replacement)).archived !== null)
    throw new Refusal(`Task ${replacement} was removed; name another task.`);
  if (ids.includes(replacement))
    throw new Refusal(`Task ${replacement} cannot replace itself; name another task.`);
  return { tasks, dependents: waiting };
}

/** Erases those without a history. A dependency goes only after its dependents, in whatever order they came. */
async function eraseTasks(db: Writer, tasks: readonly StoredTask[], at: number): Promise<Set<number>> {
  const erased = new Set<number>();
  for (let before = -1; before < erased.size; ) {
    before = erased.size;
    for (const { id, status } of tasks) {
      if (erased.has(id) || (await hasTraces(db, id))) continue;
      await deleteTask(db, id);
      // A later task may get the same number: what vouched for this one must not vouch for that.
      if (status === 'done') await appendEvidence(db, [{ at, kind: 'reopened', task_id: id }]);
      erased.add(id);
    }
  }
  return erased;
}

async function archiveTask(db: Writer, { id }: StoredTask, at: number, verify: boolean): Promise<void> {
  // Another one that is removed with it may have changed it.
  const task = await requireTask(db, id);
  if (!isSatisfied(task.status)) await skipTask(db, task, at, verify);
  await updateTask(db, id, { archived: at, updated: at });
}
