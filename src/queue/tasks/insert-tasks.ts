// Inserts new tasks, one or ten thousand: checks all references, then writes rows, edges and events in a few statements.

import { Refusal } from '../../domain/refusal.ts';
import { findCycle } from '../../domain/tasks/dag.ts';
import { featureRank, isOnHold } from '../../domain/tasks/feature.ts';
import { isSatisfied } from '../../domain/tasks/status.ts';
import type { Status, TaskFields } from '../../domain/tasks/task.ts';
import { didYouMean } from '../../domain/text/did-you-mean.ts';
import { requireStorable, requireTitle } from '../../domain/text/text.ts';
import type { Writer } from '../../store/database.ts';
import { appendEvents } from '../../store/events.ts';
import { appendEvidence } from '../../store/sessions/evidence.ts';
import { recountBlockers } from '../../store/tasks/blockers.ts';
import { listDisciplines } from '../../store/tasks/disciplines.ts';
import { listFeatures, type StoredFeature } from '../../store/tasks/features.ts';
import { insertDependencies } from '../../store/tasks/task-dependencies.ts';
import { findStatuses, insertTasks, type StoredTask } from '../../store/tasks/tasks.ts';
import { reopenFeatures } from './change-status.ts';

export type TaskEntry = {
  id: number;
  /** How a refusal names the task: "Task 7", or its file and line. */
  label: string;
  fields: TaskFields;
  depends_on: readonly number[];
  state: Pick<
    StoredTask,
    | 'status'
    | 'blocked_by'
    | 'attempts'
    | 'stuck_count'
    | 'not_before'
    | 'created'
    | 'updated'
    | 'completed'
    | 'enriched_at'
    | 'archived'
  >;
  defined: readonly string[] | null;
};

export const newState = (status: Status, at: number): TaskEntry['state'] => ({
  status,
  blocked_by: null,
  attempts: 0,
  stuck_count: 0,
  not_before: null,
  created: at,
  updated: at,
  completed: null,
  enriched_at: null,
  archived: null,
});

export async function insertTaskEntries(
  db: Writer,
  entries: readonly TaskEntry[],
  at: number,
): Promise<StoredTask[]> {
  const references = await loadReferences(db, entries);
  for (const entry of entries) requireReferences(entry, references);
  requireNoCycle(entries);
  const tasks = entries.map((entry) => toTask(entry, references));
  await insertTasks(db, tasks);
  await insertDependencies(
    db,
    entries.flatMap(({ id, depends_on, defined }) =>
      depends_on.map((dependency) => ({
        task_id: id,
        depends_on: dependency,
        defined: defined?.includes('depends_on') ? (1 as const) : (0 as const),
      })),
    ),
  );
  // It may wait on the branch of the feature: only the database knows.
  for (const { id, depends_on } of entries)
    if (depends_on.some((dependency) => references.statuses.get(dependency) === 'blocked'))
      await recountBlockers(db, { id });
  const open = entries.filter(({ state }) => state.status !== 'draft' && !isSatisfied(state.status));
  await reopenFeatures(
    db,
    open.map(({ fields }) => fields.feature),
    at,
  );
  await appendEvents(
    db,
    entries.map(({ id, fields, state }) => ({
      at,
      kind: 'task.added' as const,
      task_id: id,
      data: { title: fields.title, status: state.status },
    })),
  );
  // Only a file can say so: definitions, an import, the mirror, a snapshot.
  const done = entries.filter(({ state }) => state.status === 'done');
  await appendEvidence(
    db,
    done.map(({ id }) => ({ at, kind: 'imported', task_id: id })),
  );
  return tasks;
}

type References = {
  features: Map<string, StoredFeature>;
  disciplines: Set<string>;
  statuses: Map<number, Status>;
};

async function loadReferences(db: Writer, entries: readonly TaskEntry[]): Promise<References> {
  const mentioned = new Set(
    entries.flatMap(({ fields, depends_on }) => [
      ...depends_on,
      ...(fields.parent === null ? [] : [fields.parent]),
    ]),
  );
  const statuses = await findStatuses(db, [...mentioned]);
  for (const { id, state } of entries) statuses.set(id, state.status);
  return {
    features: new Map((await listFeatures(db)).map((feature) => [feature.name, feature])),
    disciplines: new Set((await listDisciplines(db)).map(({ name }) => name)),
    statuses,
  };
}

function requireReferences({ id, label, fields, depends_on }: TaskEntry, references: References): void {
  requireKnownName(label, 'feature', fields.feature, references.features);
  requireKnownName(label, 'discipline', fields.discipline, references.disciplines);
  requireStorable('task', fields);
  for (const dependency of depends_on)
    requireDependency(label, id, references.statuses.has(dependency), dependency);
  if (fields.parent === id) throw new Refusal(`${label} cannot be its own parent.`);
  if (fields.parent !== null && !references.statuses.has(fields.parent)) {
    throw new Refusal(`${label} cannot have the parent ${fields.parent}: ${noSuchTask(fields.parent)}`);
  }
}

export const noSuchTask = (id: number): string => `there is no task ${id}; ralph list shows all tasks.`;

export function requireDependency(label: string, id: number, exists: boolean, dependency: number): void {
  if (dependency === id) throw new Refusal(`${label} cannot depend on itself; name another task, or none.`);
  if (!exists) throw new Refusal(`${label} cannot depend on task ${dependency}: ${noSuchTask(dependency)}`);
}

export function requireKnownName(
  label: string,
  kind: 'feature' | 'discipline',
  name: string | null,
  known: Map<string, unknown> | Set<string>,
): void {
  if (name === null || known.has(name)) return;
  const hint = didYouMean(name, known.keys()) || `; add it first: ralph ${kind} add "${name}".`;
  throw new Refusal(`${label} names the ${kind} "${name}", but there is no such ${kind}${hint}`);
}

function requireNoCycle(entries: readonly TaskEntry[]): void {
  const cycle = findCycle(new Map(entries.map(({ id, depends_on }) => [id, depends_on])));
  if (cycle === null) return;
  const label = entries.find(({ id }) => id === cycle[0])?.label ?? 'A task';
  throw new Refusal(`${label} closes a cycle of dependencies: ${cycle.join(' → ')}.`);
}

function toTask(
  { id, fields, depends_on, state, defined }: TaskEntry,
  { features, statuses }: References,
): StoredTask {
  const feature = fields.feature === null ? undefined : features.get(fields.feature);
  const open = depends_on.filter((dependency) => !isSatisfied(statuses.get(dependency) ?? 'pending'));
  return {
    id,
    ...fields,
    depends_on,
    title: requireTitle(fields.title),
    ...state,
    feature_rank: featureRank(feature?.priority),
    open_blockers: open.length + (feature !== undefined && isOnHold(feature.status) ? 1 : 0),
    token: 0,
    defined,
  };
}
