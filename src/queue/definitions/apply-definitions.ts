// Applies definition files: they own the fields they give, the database owns the state. All is applied, or nothing.

import type { Definitions, DisciplineDefinition, FeatureDefinition } from '../../domain/definition.ts';
import { learnableProblem, summarize, summaryProblem } from '../../domain/learnings/learning.ts';
import { Refusal } from '../../domain/refusal.ts';
import { findCycle } from '../../domain/tasks/dag.ts';
import { DISCIPLINE_DEFAULTS } from '../../domain/tasks/discipline.ts';
import { FEATURE_DEFAULTS } from '../../domain/tasks/feature.ts';
import { didYouMean } from '../../domain/text/did-you-mean.ts';
import { requireStorable } from '../../domain/text/text.ts';
import type { Writer } from '../../store/database.ts';
import { appendEvents } from '../../store/events.ts';
import { insertLearning } from '../../store/learnings/learnings.ts';
import { readMetadata, writeMetadata } from '../../store/metadata.ts';
import { listDisciplines, type StoredDiscipline, saveDiscipline } from '../../store/tasks/disciplines.ts';
import {
  listFeatures,
  type StoredFeature,
  saveFeature,
  saveFeatureDependencies,
} from '../../store/tasks/features.ts';
import { findTask } from '../../store/tasks/tasks.ts';
import { archiveExcess } from '../learnings/learn.ts';
import { maskDefinitions } from '../mask-input.ts';
import type { Queue } from '../queue.ts';
import { applyFeatureStatus } from '../tasks/change-status.ts';
import { changedFields } from '../tasks/edit.ts';
import { requireKnownName } from '../tasks/insert-tasks.ts';
import { applyTaskDefinitions } from './apply-task-definitions.ts';
import { type ApplyMode, merge } from './merge.ts';

export type ApplyCounts = { added: number; updated: number; unchanged: number };

export function applyDefinitions(
  queue: Queue,
  definitions: Definitions,
  mode: ApplyMode,
): Promise<ApplyCounts> {
  const at = queue.now();
  return queue.store.write((db) =>
    applyDefinitionsWithin(db, maskDefinitions(definitions, queue.mask), mode, at),
  );
}

/** `applied_from`: the work tree of the files and their stamp. With it, Ralph need not read unchanged files again. */
export type DefinitionFiles = { definitions: Definitions; applied_from: { root: string; stamp: string } };

/** The project's own definition files. */
export function applyFiles(queue: Queue, files: DefinitionFiles): Promise<void> {
  const at = queue.now();
  return queue.store.write((db) => applyFilesWithin(queue, db, files, at));
}

/** `applyFiles` inside an open transaction. */
export async function applyFilesWithin(
  { mask }: Pick<Queue, 'mask'>,
  db: Writer,
  { definitions, applied_from }: DefinitionFiles,
  at: number,
): Promise<void> {
  await applyDefinitionsWithin(db, maskDefinitions(definitions, mask), 'sync', at);
  await writeMetadata(db, 'definitions', JSON.stringify(applied_from));
}

export const NO_DEFINITIONS: Definitions = {
  project: {},
  disciplines: [],
  features: [],
  tasks: [],
  learnings: [],
};

/** `applyDefinitions` inside an open transaction. */
export async function applyDefinitionsWithin(
  db: Writer,
  definitions: Definitions,
  mode: ApplyMode,
  at: number,
): Promise<ApplyCounts> {
  const applied: ApplyCounts = { added: 0, updated: 0, unchanged: 0 };
  await applyProject(db, definitions.project, mode, at);
  await applyDisciplines(db, definitions.disciplines, mode, at, applied);
  await applyFeatures(db, definitions.features, mode, at, applied);
  await applyTaskDefinitions(db, definitions.tasks, mode, at, applied);
  if (mode === 'sync') await disown(db, definitions);
  await applyLearnings(db, definitions.learnings, at, applied);
  return applied;
}

/** The stamp of this work tree's files, if they were the last to be applied. */
export async function appliedStamp(queue: Queue, root: string): Promise<string | null> {
  const { definitions } = await queue.store.read(readMetadata);
  if (definitions === undefined) return null;
  const last: { root: string; stamp: string } = JSON.parse(definitions);
  return last.root === root ? last.stamp : null;
}

/** What a definition file no longer names belongs to the database again. */
async function disown(db: Writer, { disciplines, features }: Definitions): Promise<void> {
  const named = {
    disciplines: new Set(disciplines.map(({ name }) => name)),
    features: new Set(features.map(({ name }) => name)),
  };
  for (const one of await listDisciplines(db)) {
    if (one.defined !== null && !named.disciplines.has(one.name))
      await saveDiscipline(db, { ...one, defined: null });
  }
  for (const one of await listFeatures(db)) {
    if (one.defined !== null && !named.features.has(one.name))
      await saveFeature(db, { ...one, defined: null });
  }
}

async function applyProject(
  db: Writer,
  project: Definitions['project'],
  mode: ApplyMode,
  at: number,
): Promise<void> {
  const metadata = await readMetadata(db);
  // An import does not change what the project says about itself.
  const isOpen = (key: string): boolean => mode === 'sync' || metadata[key] === undefined;
  const changed = Object.entries(project).filter(
    ([key, value]) => metadata[key] !== String(value) && isOpen(key),
  );
  requireStorable('text', project);
  for (const [key, value] of changed) await writeMetadata(db, key, String(value));
  if (changed.length === 0) return;
  await appendEvents(db, [{ at, kind: 'project.saved', data: { changed: changed.map(([key]) => key) } }]);
}

async function applyDisciplines(
  db: Writer,
  definitions: readonly DisciplineDefinition[],
  mode: ApplyMode,
  at: number,
  applied: ApplyCounts,
): Promise<void> {
  const knownDisciplines = new Map(
    (await listDisciplines(db)).map((discipline) => [discipline.name, discipline]),
  );
  for (const definition of definitions) {
    const { name, created = at } = definition;
    const current = knownDisciplines.get(name);
    const merged = merge(definition, current, DISCIPLINE_DEFAULTS, mode);
    const next: StoredDiscipline = {
      ...merged.fields,
      name,
      created: current?.created ?? created,
      updated: at,
      defined: merged.defined,
    };
    if (tally(applied, current, next)) {
      await saveDiscipline(db, next);
      await appendEvents(db, [{ at, kind: 'discipline.saved', data: { discipline: name } }]);
    }
  }
}

async function applyFeatures(
  db: Writer,
  definitions: readonly FeatureDefinition[],
  mode: ApplyMode,
  at: number,
  applied: ApplyCounts,
): Promise<void> {
  const knownFeatures = new Map((await listFeatures(db)).map((feature) => [feature.name, feature]));
  const names = new Set([...knownFeatures.keys(), ...definitions.map(({ name }) => name)]);
  const changed: StoredFeature[] = [];
  for (const definition of definitions) {
    const { name, created = at } = definition;
    const current = knownFeatures.get(name);
    const merged = merge(definition, current, { ...FEATURE_DEFAULTS, status: 'active' as const }, mode);
    // Ralph owns `done`; the file may lag behind.
    const status =
      current?.status === 'done' && merged.fields.status !== 'deprecated' ? 'done' : merged.fields.status;
    const next: StoredFeature = {
      ...merged.fields,
      name,
      added_files: current?.added_files ?? [],
      status,
      created: current?.created ?? created,
      updated: at,
      defined: merged.defined,
    };
    for (const dependency of next.dependencies) {
      if (dependency === name)
        throw new Refusal(`${definition.at}: feature "${name}" cannot depend on itself.`);
      if (!names.has(dependency)) {
        throw new Refusal(
          `${definition.at}: feature "${name}" depends on "${dependency}", but there is no such feature${didYouMean(dependency, names) || '.'}`,
        );
      }
    }
    if (tally(applied, current, next)) changed.push(next);
  }
  requireNoFeatureCycle(knownFeatures, changed, definitions);
  for (const feature of changed) await saveFeature(db, feature);
  for (const feature of changed) await saveFeatureDependencies(db, feature.name, feature.dependencies);
  for (const { name, status: to } of changed)
    await applyFeatureStatus(db, name, { from: knownFeatures.get(name)?.status ?? to, to, at });
  await appendEvents(
    db,
    changed.map(({ name }) => ({ at, kind: 'feature.saved' as const, data: { feature: name } })),
  );
}

function requireNoFeatureCycle(
  knownFeatures: ReadonlyMap<string, StoredFeature>,
  changed: readonly StoredFeature[],
  definitions: readonly FeatureDefinition[],
): void {
  const edges = new Map(
    [...knownFeatures.values(), ...changed].map(({ name, dependencies }) => [name, dependencies]),
  );
  const cycle = findCycle(edges);
  if (cycle === null) return;
  const place = definitions.find(({ name }) => cycle.includes(name))?.at ?? 'The definitions';
  throw new Refusal(
    `${place}: the features depend on each other in a cycle: ${cycle.join(' → ')}; remove one dependency.`,
  );
}

async function applyLearnings(
  db: Writer,
  learnings: Definitions['learnings'],
  at: number,
  applied: ApplyCounts,
): Promise<void> {
  const features = new Set((await listFeatures(db)).map(({ name }) => name));
  const disciplines = new Set((await listDisciplines(db)).map(({ name }) => name));
  for (const {
    at: place,
    created = at,
    confirmations = 0,
    archived = null,
    archived_by,
    agent_task_id,
    unproven = false,
    ...learning
  } of learnings) {
    requireStorable('learning', learning);
    const problem = learnableProblem(learning.body, learning.reason) ?? summaryProblem(learning.summary);
    if (problem !== null) throw new Refusal(`${place}: ${problem}`);
    requireKnownName(`${place}: a learning`, 'feature', learning.feature, features);
    requireKnownName(`${place}: a learning`, 'discipline', learning.discipline, disciplines);
    const task = agent_task_id === undefined ? null : await findTask(db, agent_task_id);
    const id = await insertLearning(db, {
      ...learning,
      summary: learning.summary ?? summarize(learning.body),
      created,
      confirmations,
      archived,
      archived_by: archived === null ? null : (archived_by ?? 'person'),
      conflicts_with: null,
      task_id: task?.id ?? null,
      session_id: null,
      proven: unproven ? null : created,
      author: agent_task_id === undefined ? 'person' : 'agent',
    });
    if (id === null) applied.unchanged += 1;
    else {
      applied.added += 1;
      await appendEvents(db, [{ at, kind: 'learning.added', data: { learning: id } }]);
      await archiveExcess(
        db,
        id,
        { ...learning, task_id: null, session_id: null, proven: unproven ? null : at },
        at,
      );
    }
  }
}

/** Counts one entity as added, updated or unchanged; true if it must be saved. */
function tally<Entity extends object>(
  applied: ApplyCounts,
  current: Entity | undefined,
  next: Entity & { updated: number },
): boolean {
  const kind =
    current === undefined
      ? 'added'
      : changedFields<object>({ ...current, updated: next.updated }, next).length > 0
        ? 'updated'
        : 'unchanged';
  applied[kind] += 1;
  return kind !== 'unchanged';
}
