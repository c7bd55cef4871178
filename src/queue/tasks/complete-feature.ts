// Where a project wants it, a feature is done only when a session has looked at it as a whole.
import { TASK_DEFAULTS, type Task } from '../../domain/tasks/task.ts';
import type { Reader, Writer } from '../../store/database.ts';
import { findFeature, hasOpenTasks } from '../../store/tasks/features.ts';
import { listTasks, nextTaskId } from '../../store/tasks/tasks.ts';
import { changeFeatureStatus } from './change-status.ts';
import { insertTaskEntries, newState } from './insert-tasks.ts';

/** What tells a verification from other tasks that Ralph made. */
const TAG = 'verify_feature';

export const isVerification = ({ provenance, tags }: Pick<Task, 'provenance' | 'tags'>): boolean =>
  provenance === 'system' && tags.includes(TAG);

/** A feature is done with its last task; where it is to be verified, that is the task which does so. */
export async function completeFeature(
  db: Writer,
  task: Pick<Task, 'feature' | 'provenance' | 'tags'>,
  { verify, at }: { verify: boolean; at: number },
): Promise<void> {
  const { feature } = task;
  if (feature === null || (await hasOpenTasks(db, feature))) return;
  if (verify && !isVerification(task) && (await addVerification(db, feature, at))) return;
  await changeFeatureStatus(db, feature, 'done', at);
}

/** Adds the task that looks at the feature; false where everything that was done has been looked at. */
async function addVerification(db: Writer, feature: string, at: number): Promise<boolean> {
  const work = await unverifiedWork(db, feature);
  const known = await findFeature(db, feature);
  if (work.length === 0 || known === null) return false;
  const { display_name, spec_file, acceptance_criteria } = known;
  const id = await nextTaskId(db);
  const fields = {
    ...TASK_DEFAULTS,
    feature,
    title: `Verify the feature ${display_name ?? feature}`,
    description: descriptionOf(spec_file),
    // Where everything holds, nothing has to change.
    kind: 'investigate' as const,
    // Its work stays uncommitted until then, where features are committed as one.
    priority: 'high' as const,
    provenance: 'system' as const,
    acceptance_criteria,
    tags: [TAG],
  };
  const state = newState('pending', at);
  // What it depends on is done: named so that its prompt has what each of them said.
  const entry = { id, label: `Task ${id}`, fields, depends_on: work, state, defined: null };
  await insertTaskEntries(db, [entry], at);
  return true;
}

/** The tasks that were done since the feature was last looked at. */
async function unverifiedWork(db: Reader, feature: string): Promise<number[]> {
  const tasks = await listTasks(db, { feature });
  const looks = tasks.filter(isVerification).map(({ completed, updated }) => completed ?? updated);
  const last = Math.max(Number.NEGATIVE_INFINITY, ...looks);
  return tasks
    .filter((task) => task.status === 'done' && !isVerification(task) && (task.completed ?? 0) > last)
    .map(({ id }) => id);
}

const descriptionOf = (spec_file: string | null): string =>
  [
    'Every task of this feature is done. Check the feature as a whole, as somebody who uses it would: run it and its tests, and do not take the word of earlier sessions for it.',
    spec_file === null ? '' : `Its specification is ${spec_file}.`,
    'Mend what does not hold. Work that is more than that: suggest it as tasks.',
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');
