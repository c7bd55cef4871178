// If the project asks for it, a feature is done only after a session has verified it as a whole.
import { TASK_DEFAULTS, type Task } from '../../domain/tasks/task.ts';
import type { Reader, Writer } from '../../store/database.ts';
import { findFeature, hasOpenTasks } from '../../store/tasks/features.ts';
import { listTasks, nextTaskId } from '../../store/tasks/tasks.ts';
import { changeFeatureStatus } from './change-status.ts';
import { insertTaskEntries, newState } from './insert-tasks.ts';

/** Distinguishes a verification from other tasks that Ralph creates. */
const TAG = 'verify_feature';

export const isVerification = ({ provenance, tags }: Pick<Task, 'provenance' | 'tags'>): boolean =>
  provenance === 'system' && tags.includes(TAG);

/** Marks a feature done after its last task. With `verify`, the last task is the verification. */
export async function completeFeature(
  db: Writer,
  task: Pick<Task, 'feature' | 'provenance' | 'tags'>,
  { verify, at }: { verify: boolean; at: number },
): Promise<void> {
  const { feature } = task;
  if (feature === null || (await hasOpenTasks(db, feature))) return;
  if (verify && !isVerification(task) && (await addVerification(db, feature, at))) return;
  if ((await findFeature(db, feature))?.status !== 'deprecated')
    await changeFeatureStatus(db, feature, 'done', at);
}

/** Adds the task that verifies the feature; false if all done work is already verified. */
async function addVerification(db: Writer, feature: string, at: number): Promise<boolean> {
  const work = await unverifiedWork(db, feature);
  const stored = await findFeature(db, feature);
  if (work.length === 0 || stored === null) return false;
  const { display_name, spec_file, acceptance_criteria } = stored;
  const id = await nextTaskId(db);
  const fields = {
    ...TASK_DEFAULTS,
    feature,
    title: `Verify the feature ${display_name ?? feature}`,
    description: describeVerification(spec_file),
    // If everything holds, no file has to change.
    kind: 'investigate' as const,
    // If Ralph commits a feature as one, its work stays uncommitted until then.
    priority: 'high' as const,
    provenance: 'system' as const,
    acceptance_criteria,
    tags: [TAG],
  };
  const state = newState('pending', at);
  // These dependencies are done. They are listed so that the prompt shows the summary of each.
  const entry = { id, label: `Task ${id}`, fields, depends_on: work, state, defined: null };
  await insertTaskEntries(db, [entry], at);
  return true;
}

/** The tasks that were done since the last verification. */
async function unverifiedWork(db: Reader, feature: string): Promise<number[]> {
  const tasks = await listTasks(db, { feature });
  const verified = tasks.filter(isVerification).map(({ completed, updated }) => completed ?? updated);
  const last = Math.max(Number.NEGATIVE_INFINITY, ...verified);
  return tasks
    .filter((task) => task.status === 'done' && !isVerification(task) && (task.completed ?? 0) > last)
    .map(({ id }) => id);
}

const describeVerification = (spec_file: string | null): string =>
  [
    'Every task of this feature is done. Check the feature as a whole, as a user would: run it and its tests, and do not rely on what earlier sessions reported.',
    spec_file === null ? '' : `Its specification is ${spec_file}.`,
    'Repair what does not work. If that takes more than a small change, suggest it as a task.',
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');
