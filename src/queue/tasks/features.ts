import { doneSummary, lastClosing } from '../../domain/sessions/signal.ts';
import type { Discipline } from '../../domain/tasks/discipline.ts';
import type { Feature, FeatureWork } from '../../domain/tasks/feature.ts';
import type { Task } from '../../domain/tasks/task.ts';
import { countLearnings } from '../../store/learnings/learning-lists.ts';
import { coverReceipts, receiptsOfFeature, tasksWithoutCommit } from '../../store/sessions/receipts.ts';
import { signalsOfSession } from '../../store/sessions/signals.ts';
import {
  findFeature,
  hasOpenTasks,
  listFeatures,
  markRecorded,
  unrecordedFeatures,
} from '../../store/tasks/features.ts';
import { listTasks, type Progress, progressByFeature } from '../../store/tasks/tasks.ts';
import type { Queue } from '../queue.ts';
import { requireDiscipline, requireFeature } from '../require.ts';
import type { LiveSession } from '../sessions/live-session.ts';
import { isVerification } from './complete-feature.ts';
import { publicTask } from './list.ts';

export type FeatureDetails = { feature: Feature; tasks: Task[]; learnings: number };

const TASKS_SHOWN = 200;

export const allFeatures = (queue: Queue): Promise<{ feature: Feature; learnings: number }[]> =>
  queue.store.read(async (db) => {
    const counts = await countLearnings(db);
    return (await listFeatures(db)).map((feature) => ({ feature, learnings: counts.get(feature.name) ?? 0 }));
  });

export type FeatureProgress = Progress & { learnings: number };

/** Task progress and learnings of each feature; `project` for tasks and learnings of none. */
export const featureProgress = (
  queue: Queue,
): Promise<{ features: (FeatureProgress & { feature: Feature })[]; project: FeatureProgress }> =>
  queue.store.read(async (db) => {
    const [learnings, progress] = [await countLearnings(db), await progressByFeature(db)];
    const progressFor = (name: string | null): FeatureProgress => ({
      ...(progress.get(name) ?? { done: 0, open: 0 }),
      learnings: learnings.get(name) ?? 0,
    });
    const features = (await listFeatures(db)).map((feature) => ({ feature, ...progressFor(feature.name) }));
    return { features, project: progressFor(null) };
  });

export const featureDetails = (queue: Queue, name: string): Promise<FeatureDetails> =>
  queue.store.read(async (db) => {
    return {
      feature: await requireFeature(db, name),
      tasks: (await listTasks(db, { feature: name, limit: TASKS_SHOWN })).map(publicTask),
      learnings: (await countLearnings(db)).get(name) ?? 0,
    };
  });

export const disciplineDetails = (queue: Queue, name: string): Promise<Discipline> =>
  queue.store.read((db) => requireDiscipline(db, name));

/** The feature's work for one commit. Null for a task without a feature, and while others of its tasks remain. */
export function featureWork(
  queue: Queue,
  { task, session }: Pick<LiveSession, 'task' | 'session'>,
  verify: boolean,
): Promise<FeatureWork | null> {
  const now = queue.now();
  return queue.store.read(async (db) => {
    if (task.feature === null || (await hasOpenTasks(db, task.feature, task.id))) return null;
    // The last task leads to a verification task, whose commit will hold the work of all.
    if (verify && !isVerification(task)) return null;
    const feature = await findFeature(db, task.feature);
    const uncommitted = await receiptsOfFeature(db, task.feature, 'uncommitted');
    const earlier = uncommitted.filter(({ session_id }) => session_id !== session.id);
    const closing = lastClosing((await signalsOfSession(db, session.id)).map(({ signal }) => signal));
    const summary = doneSummary(closing) ?? '';
    return {
      name: task.feature,
      title: feature?.display_name ?? task.feature,
      // A task that was done more than once appears once, with its last summary.
      tasks: lastOfEach([...earlier, { id: task.id, title: task.title, summary }]),
      sessions: [
        ...earlier.map(({ session_id, tree_hash }) => ({ id: session_id, tree_hash })),
        { id: session.id, tree_hash: null },
      ],
      last: { id: session.id, base_commit: session.base_commit },
      at: session.closing ?? now,
    };
  });
}

/** Done tasks whose work is in no commit yet, in this work tree. */
export const uncommittedTasks = (queue: Queue, root: string): Promise<number[]> =>
  queue.store.read((db) => tasksWithoutCommit(db, root));

type TaskSummary = FeatureWork['tasks'][number];

export function lastOfEach(done: readonly TaskSummary[]): TaskSummary[] {
  const last = new Map<number, TaskSummary>();
  for (const { id, title, summary } of done) {
    last.delete(id);
    last.set(id, { id, title, summary });
  }
  return [...last.values()];
}

// Features whose last task is settled, and whose work is not yet written down: by a commit, or by an entry in the progress file.

/**
 * `commits`: whether the work of a feature is committed as one. `root`: leaves out features with work of another work tree,
 * whose files are not here.
 */
export const finishedFeatures = (
  queue: Queue,
  { commits, root }: { commits: boolean; root: string },
): Promise<FeatureWork[]> =>
  queue.store.read(async (db) => {
    const finished: FeatureWork[] = [];
    for (const name of await unrecordedFeatures(db)) {
      const done = await receiptsOfFeature(db, name, 'unrecorded');
      const last = done.at(-1);
      if (last === undefined || done.some((one) => one.root !== null && one.root !== root)) continue;
      const open = done.filter(({ commit, tree_hash }) => commits && commit === null && tree_hash !== null);
      finished.push({
        name,
        title: (await findFeature(db, name))?.display_name ?? name,
        tasks: lastOfEach(done),
        sessions: open.map(({ session_id, tree_hash }) => ({ id: session_id, tree_hash })),
        last: { id: last.session_id, base_commit: last.base_commit },
        at: last.created,
      });
    }
    return finished;
  });

/** `commit`: of the work of all its tasks, if they had none. */
export function recordFeature(
  queue: Queue,
  { name, tasks, at }: FeatureWork,
  commit: string | null,
): Promise<void> {
  const ids = tasks.map(({ id }) => id);
  const now = queue.now();
  return queue.store.write(async (db) => {
    if (commit !== null) await coverReceipts(db, ids, { commit, at: now });
    await markRecorded(db, name, at);
  });
}
