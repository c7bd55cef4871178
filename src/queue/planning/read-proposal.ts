// A planning session works on a copy of the queue. Its proposal is the difference between the copy and the queue.

import { type InferredDependency, inferDependencies } from '../../domain/planning/infer-dependencies.ts';
import type { Proposal, ProposedChange, ProposedTask, TaskChange } from '../../domain/planning/proposal.ts';
import { FEATURE_DEFAULTS, type FeatureFields } from '../../domain/tasks/feature.ts';
import { TASK_DEFAULTS, type TaskFields } from '../../domain/tasks/task.ts';
import { allEventsAfter, lastEventId } from '../../store/events.ts';
import { listFeatures, type StoredFeature } from '../../store/tasks/features.ts';
import { findTasks, listTasks, type StoredTask } from '../../store/tasks/tasks.ts';
import { pick } from '../definitions/merge.ts';
import type { Queue } from '../queue.ts';
import { changedFields } from '../tasks/edit.ts';

const FIELDS = ['title', ...Object.keys(TASK_DEFAULTS)] as (keyof TaskFields)[];

/** `base`: the last event that queue and copy share. Every change writes an event, so only tasks of later events are compared. */
export async function readProposal(queue: Queue, copy: Queue, base: number): Promise<Proposal> {
  const made = await copy.store.read(async (db) => {
    const events = await allEventsAfter(db, base);
    const touched = [...new Set(events.flatMap(({ task_id }) => task_id ?? []))];
    const isNew = new Set(events.filter(({ kind }) => kind === 'task.added').map(({ task_id }) => task_id));
    const tasks = await findTasks(db, touched);
    return {
      features: await listFeatures(db),
      added: tasks.filter(({ id }) => isNew.has(id)),
      changed: tasks.filter(({ id }) => !isNew.has(id)),
    };
  });
  return queue.store.read(async (db) => {
    const ids = made.changed.map(({ id }) => id);
    const tasksById = new Map((await findTasks(db, ids)).map((task) => [task.id, task]));
    const meanwhile = new Set((await allEventsAfter(db, base)).map(({ task_id }) => task_id));
    const names = new Set((await listFeatures(db)).map(({ name }) => name));
    return {
      seen: await lastEventId(db),
      features: made.features.filter(({ name }) => !names.has(name)).map(proposedFeature),
      added: made.added.map(proposedTask),
      changed: made.changed.flatMap((task) =>
        meanwhile.has(task.id) ? [] : (proposedChange(tasksById.get(task.id), task) ?? []),
      ),
      left_out: made.changed.filter(({ id }) => meanwhile.has(id)).map(({ id, title }) => ({ id, title })),
    };
  });
}

function proposedFeature(feature: StoredFeature): Proposal['features'][number] {
  const names = Object.keys(FEATURE_DEFAULTS) as (keyof FeatureFields)[];
  return { name: feature.name, fields: pick(feature, names) };
}

const proposedTask = (task: StoredTask): ProposedTask => ({
  id: task.id,
  fields: pick(task, FIELDS),
  depends_on: task.depends_on,
  is_ready: task.open_blockers === 0,
});

function proposedChange(before: StoredTask | undefined, after: StoredTask): ProposedChange | null {
  if (before === undefined) return null;
  const edited: TaskChange = pick(after, [...FIELDS, 'depends_on']);
  const names = changedFields<object>(before, edited) as (keyof TaskChange)[];
  const is_enriched = before.enriched_at !== after.enriched_at;
  if (names.length === 0 && !is_enriched) return null;
  const { id, title, status } = before;
  return {
    id,
    title,
    status,
    before: pick<TaskChange>(before, names),
    after: pick<TaskChange>(edited, names),
    is_enriched,
    is_queued: status === 'draft' && after.status === 'pending',
  };
}

/** Beyond these, files are compared with the oldest open tasks only. */
const MAX_COMPARED = 5_000;

/** The dependencies that these tasks seem to lack. A definition file alone can change those that it owns. */
export const missingDependencies = (queue: Queue, ids: readonly number[]): Promise<InferredDependency[]> =>
  queue.store.read(async (db) => {
    const open = await listTasks(db, { open: true, limit: MAX_COMPARED });
    const owned = new Set(open.filter(({ defined }) => defined?.includes('depends_on')).map(({ id }) => id));
    return inferDependencies(open, new Set(ids.filter((id) => !owned.has(id))));
  });

/** The same for the new tasks of a proposal, whose ids are its own. */
export const missingInProposal = (queue: Queue, { added }: Proposal): Promise<InferredDependency[]> =>
  queue.store.read(async (db) => {
    const ids = new Set(added.map(({ id }) => id));
    const open = (await listTasks(db, { open: true, limit: MAX_COMPARED })).filter(({ id }) => !ids.has(id));
    const planned = added.map(({ id, fields, depends_on }) => ({ ...fields, id, depends_on }));
    return inferDependencies([...open, ...planned], ids);
  });
