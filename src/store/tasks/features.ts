import type { Selectable } from 'kysely';
import {
  type AddedFile,
  type Feature,
  featureRank,
  ON_HOLD,
  type OnHold,
} from '../../domain/tasks/feature.ts';
import type { Database, Reader, Writer } from '../database.ts';
import { fromJson, insertRows, toJson } from '../rows.ts';
import { addedFiles } from './feature-files.ts';

export type StoredFeature = Feature & { defined: readonly string[] | null };

export async function listFeatures(db: Reader): Promise<StoredFeature[]> {
  const rows = await db.selectFrom('features').selectAll().orderBy('name').execute();
  const edges = await db.selectFrom('feature_dependencies').selectAll().orderBy('depends_on').execute();
  const files = await addedFiles(db);
  return rows.map((row) =>
    fromRow(
      row,
      edges.filter(({ feature }) => feature === row.name),
      files.get(row.name) ?? [],
    ),
  );
}

export async function findFeature(db: Reader, name: string): Promise<StoredFeature | null> {
  const row = await db.selectFrom('features').selectAll().where('name', '=', name).executeTakeFirst();
  if (row === undefined) return null;
  const edges = await db
    .selectFrom('feature_dependencies')
    .selectAll()
    .where('feature', '=', name)
    .orderBy('depends_on')
    .execute();
  return fromRow(row, edges, (await addedFiles(db, name)).get(name) ?? []);
}

function fromRow(
  { recorded: _, ...row }: Selectable<Database['features']>,
  edges: readonly { depends_on: string }[],
  added_files: readonly AddedFile[],
): StoredFeature {
  return {
    ...row,
    added_files,
    dependencies: edges.map(({ depends_on }) => depends_on),
    knowledge_paths: fromJson(row.knowledge_paths),
    context_files: fromJson(row.context_files),
    acceptance_criteria: fromJson(row.acceptance_criteria),
    defined: row.defined === null ? null : fromJson(row.defined),
  };
}

/**
 * Does not save the dependencies: they may name features that are saved later in the same transaction. The added files have rows
 * of their own.
 */
export async function saveFeature(
  db: Writer,
  { dependencies: _, added_files: __, ...feature }: StoredFeature,
): Promise<void> {
  const row = {
    ...feature,
    knowledge_paths: toJson(feature.knowledge_paths),
    context_files: toJson(feature.context_files),
    acceptance_criteria: toJson(feature.acceptance_criteria),
    defined: feature.defined === null ? null : toJson(feature.defined),
  };
  await db
    .insertInto('features')
    .values(row)
    .onConflict((conflict) => conflict.column('name').doUpdateSet(row))
    .execute();
  await db
    .updateTable('tasks')
    .set({ feature_rank: featureRank(feature.priority) })
    .where('feature', '=', feature.name)
    .where('feature_rank', '<>', featureRank(feature.priority))
    .execute();
}

export async function saveFeatureDependencies(
  db: Writer,
  feature: string,
  dependencies: readonly string[],
): Promise<void> {
  await db.deleteFrom('feature_dependencies').where('feature', '=', feature).execute();
  await insertRows(
    db,
    'feature_dependencies',
    [...new Set(dependencies)].map((depends_on) => ({ feature, depends_on })),
  );
}

/** The features whose tasks wait, with their status. */
export async function featuresOnHold(db: Reader): Promise<Map<string, OnHold>> {
  const rows = await db
    .selectFrom('features')
    .select(['name', 'status'])
    .where('status', 'in', ON_HOLD)
    .orderBy('name')
    .$narrowType<{ status: OnHold }>()
    .execute();
  return new Map(rows.map(({ name, status }) => [name, status]));
}

const OPEN = ['pending', 'in_progress', 'needs_input', 'blocked', 'failed'] as const;

/** Whether work on the feature remains; drafts do not count. */
export async function hasOpenTasks(
  db: Reader,
  feature: string,
  except: number | null = null,
): Promise<boolean> {
  const open = db
    .selectFrom('tasks')
    .select('id')
    .where('feature', '=', feature)
    .where('status', 'in', OPEN)
    .limit(1);
  const row = await (except === null ? open : open.where('id', '<>', except)).executeTakeFirst();
  return row !== undefined;
}

/** Features without open tasks that have done work which no entry records yet. */
export async function unrecordedFeatures(db: Reader): Promise<string[]> {
  const rows = await db
    .selectFrom('receipts')
    .innerJoin('tasks', 'tasks.id', 'receipts.task_id')
    .innerJoin('features', 'features.name', 'tasks.feature')
    .select('features.name')
    .distinct()
    .where(({ eb, or, ref }) =>
      or([eb('features.recorded', 'is', null), eb('receipts.created', '>', ref('features.recorded'))]),
    )
    .where(({ not, exists, selectFrom, ref }) =>
      not(
        exists(
          selectFrom('tasks as open')
            .select('open.id')
            .where('open.feature', '=', ref('features.name'))
            .where('open.status', 'in', OPEN),
        ),
      ),
    )
    .orderBy('features.name')
    .execute();
  return rows.map(({ name }) => name);
}

export async function markRecorded(db: Writer, name: string, recorded: number): Promise<void> {
  await db.updateTable('features').set({ recorded }).where('name', '=', name).execute();
}

/** Returns the status before. Null if nothing changed: the feature has this status already, or a definition file owns it. */
export async function setFeatureStatus(
  db: Writer,
  name: string,
  status: StoredFeature['status'],
  updated: number,
): Promise<StoredFeature['status'] | null> {
  const feature = await findFeature(db, name);
  if (feature === null || feature.status === status || feature.defined?.includes('status')) return null;
  await db.updateTable('features').set({ status, updated }).where('name', '=', name).execute();
  return feature.status;
}

/** Only for a feature without tasks and learnings. */
export async function deleteFeature(db: Writer, name: string): Promise<void> {
  await db.deleteFrom('feature_dependencies').where('feature', '=', name).execute();
  await db.deleteFrom('feature_files').where('feature', '=', name).execute();
  await db.deleteFrom('feature_context_files').where('feature', '=', name).execute();
  await db.deleteFrom('features').where('name', '=', name).execute();
}
