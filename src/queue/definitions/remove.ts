// A person removes a feature or a discipline: only one that nothing refers to any more.
import { Refusal } from '../../domain/refusal.ts';
import { nameTasks } from '../../domain/tasks/task.ts';
import { plural } from '../../domain/text/text.ts';
import type { Reader } from '../../store/database.ts';
import { appendEvents } from '../../store/events.ts';
import { countLearnings } from '../../store/learnings/learning-lists.ts';
import { deleteDiscipline, replaceInLearnings } from '../../store/tasks/disciplines.ts';
import { deleteFeature, listFeatures } from '../../store/tasks/features.ts';
import { listTasks, type StoredTask } from '../../store/tasks/tasks.ts';
import type { Queue } from '../queue.ts';
import { requireDiscipline, requireFeature } from '../require.ts';
import { applyEdit, requireNotDefined } from '../tasks/edit.ts';

export function removeFeature(queue: Queue, name: string): Promise<void> {
  const at = queue.now();
  return queue.store.write(async (db) => {
    await requireUnusedFeature(db, name);
    await deleteFeature(db, name);
    await appendEvents(db, [{ at, kind: 'feature.removed', data: { feature: name } }]);
  });
}

/** Refuses like `removeFeature`; otherwise says whether a definition file defines it. */
export const checkFeatureRemoval = (queue: Queue, name: string): Promise<boolean> =>
  queue.store.read(async (db) => {
    await requireUnusedFeature(db, name);
    return (await requireFeature(db, name)).defined !== null;
  });

async function requireUnusedFeature(db: Reader, name: string): Promise<void> {
  await requireFeature(db, name);
  const dependents = (await listFeatures(db)).filter(({ dependencies }) => dependencies.includes(name));
  const [dependent] = dependents;
  if (dependent !== undefined)
    throw new Refusal(
      `Feature "${dependent.name}" depends on "${name}"; change that first: ralph feature edit "${dependent.name}" --depends-on "".`,
    );
  const tasks = await listTasks(db, { feature: name, archived: 'too' });
  const learnings =
    ((await countLearnings(db)).get(name) ?? 0) +
    ((await countLearnings(db, { archived: true })).get(name) ?? 0);
  const uses = [
    ...(tasks.length > 0 ? [nameTasks(tasks)] : []),
    ...(learnings > 0 ? [plural(learnings, 'learning')] : []),
  ];
  if (uses.length > 0)
    throw new Refusal(
      `${uses.join(' and ')} ${tasks.length + learnings === 1 ? 'belongs' : 'belong'} to feature "${name}"; give ${tasks.length + learnings === 1 ? 'it' : 'them'} another feature first, or keep this one out of use: ralph feature edit "${name}" --status deprecated.`,
    );
}

/** `replacement`: the discipline that its tasks and learnings get; null if it has none. */
export function removeDiscipline(queue: Queue, name: string, replacement: string | null): Promise<void> {
  const at = queue.now();
  return queue.store.write(async (db) => {
    const { tasks } = await requireReplaceable(db, name, replacement);
    for (const task of tasks) {
      requireNotDefined(task, { discipline: replacement });
      await applyEdit(db, task, { discipline: replacement }, at);
    }
    for (const learning of await replaceInLearnings(db, name, replacement))
      await appendEvents(db, [{ at, kind: 'learning.edited', data: { learning } }]);
    await deleteDiscipline(db, name);
    await appendEvents(db, [{ at, kind: 'discipline.removed', data: { discipline: name } }]);
  });
}

/** Refuses like `removeDiscipline`; otherwise says whether a definition file names it. */
export const checkDisciplineRemoval = (
  queue: Queue,
  name: string,
  replacement: string | null,
): Promise<boolean> =>
  queue.store.read(async (db) => {
    const { tasks } = await requireReplaceable(db, name, replacement);
    const { defined } = await requireDiscipline(db, name);
    return defined !== null || tasks.some((task) => task.defined?.includes('discipline'));
  });

async function requireReplaceable(
  db: Reader,
  name: string,
  replacement: string | null,
): Promise<{ tasks: StoredTask[] }> {
  await requireDiscipline(db, name);
  const tasks = await listTasks(db, { discipline: name, archived: 'too' });
  if (replacement !== null) {
    await requireDiscipline(db, replacement);
    if (replacement === name)
      throw new Refusal(`Discipline "${name}" cannot replace itself; name another one.`);
  } else if (tasks.length > 0)
    throw new Refusal(
      `${nameTasks(tasks)} ${tasks.length === 1 ? 'has' : 'have'} the discipline "${name}"; give ${tasks.length === 1 ? 'it' : 'them'} another: ralph discipline remove "${name}" --replace-with NAME.`,
    );
  return { tasks };
}
