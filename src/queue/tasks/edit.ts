import { Refusal } from '../../domain/refusal.ts';
import { featureRank } from '../../domain/tasks/feature.ts';
import type { Task, TaskFields } from '../../domain/tasks/task.ts';
import { requireStorable, requireTitle } from '../../domain/text/text.ts';
import type { Writer } from '../../store/database.ts';
import { appendEvents } from '../../store/events.ts';
import { findDiscipline, listDisciplines } from '../../store/tasks/disciplines.ts';
import { findFeature, listFeatures } from '../../store/tasks/features.ts';
import { findStatuses, type StoredTask, updateTask } from '../../store/tasks/tasks.ts';
import type { Queue } from '../queue.ts';
import { requireTask, requireUnchanged } from '../require.ts';
import { noSuchTask, requireKnownName } from './insert-tasks.ts';
import { refreshBlockers, setDependencies } from './link.ts';

export type TaskEdit = Partial<TaskFields> & { depends_on?: readonly number[] };

/** `seen`: the values that the editor saw in the changed fields, if others may edit at the same time. */
export function editTask(queue: Queue, id: number, edit: TaskEdit, seen: TaskEdit = {}): Promise<Task> {
  const at = queue.now();
  return queue.store.write(async (db) => {
    const task = await requireTask(db, id);
    requireNotDefined(task, edit);
    requireUnchanged(`of task ${id}`, { current: task, wanted: { ...task, ...edit }, seen });
    await applyEdit(db, task, edit, at);
    return requireTask(db, id);
  });
}

/** Writes the changed fields, and an event that names them. An edit that changes nothing writes nothing. */
export async function applyEdit(db: Writer, task: StoredTask, edit: TaskEdit, at: number): Promise<boolean> {
  const { depends_on = task.depends_on, ...fields } = edit;
  const changed = changedFields(task, fields);
  const relinked = [...depends_on].sort().join() !== [...task.depends_on].sort().join();
  if (changed.length === 0 && !relinked) return false;

  if (fields.title !== undefined) fields.title = requireTitle(fields.title);
  requireStorable('task', fields);
  const rank = await requireReferences(db, task, fields);
  await updateTask(db, task.id, { ...fields, ...rank, updated: at });
  if (changed.length > 0)
    await appendEvents(db, [{ at, kind: 'task.edited', task_id: task.id, data: { changed } }]);
  await setDependencies(db, task, depends_on, at);
  if (!relinked && changed.includes('feature')) await refreshBlockers(db, task, at);
  return true;
}

export function changedFields<Fields extends object>(current: Fields, edit: Partial<Fields>): string[] {
  return Object.entries(edit)
    .filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(current[name as keyof Fields]))
    .map(([name]) => name);
}

const definedField = (task: StoredTask, edit: TaskEdit): string | undefined =>
  changedFields<object>(task, edit).find((name) => task.defined?.includes(name));

/** Whether a definition file gives one of the fields that would change. */
export const isTaskInFile = (queue: Queue, id: number, edit: TaskEdit): Promise<boolean> =>
  queue.store.read(async (db) => definedField(await requireTask(db, id), edit) !== undefined);

/** A field that a definition file owns must be changed there: the next sync would undo a change here. */
export function requireNotDefined(task: StoredTask, edit: TaskEdit): void {
  const owned = definedField(task, edit);
  if (owned === undefined) return;
  throw new Refusal(`The ${owned} of task ${task.id} is defined in .ralph/tasks.yaml; change it there.`);
}

/** Checks only references that change; returns the rank of a new feature. */
async function requireReferences(
  db: Writer,
  task: StoredTask,
  { feature = task.feature, discipline = task.discipline, parent = task.parent }: Partial<TaskFields>,
): Promise<{ feature_rank?: number }> {
  const label = `Task ${task.id}`;
  if (
    discipline !== null &&
    discipline !== task.discipline &&
    (await findDiscipline(db, discipline)) === null
  ) {
    requireKnownName(
      label,
      'discipline',
      discipline,
      new Set((await listDisciplines(db)).map(({ name }) => name)),
    );
  }
  if (parent !== null && parent !== task.parent) await requireParent(db, task.id, parent);
  if (feature === task.feature) return {};
  const found = feature === null ? null : await findFeature(db, feature);
  if (found === null)
    requireKnownName(label, 'feature', feature, new Set((await listFeatures(db)).map(({ name }) => name)));
  return { feature_rank: featureRank(found?.priority) };
}

async function requireParent(db: Writer, id: number, parent: number): Promise<void> {
  if (parent === id) throw new Refusal(`Task ${id} cannot be its own parent.`);
  if (!(await findStatuses(db, [parent])).has(parent)) {
    throw new Refusal(`Task ${id} cannot have the parent ${parent}: ${noSuchTask(parent)}`);
  }
}
