// Files that sessions of a feature touched, which Ralph suggests for its prompts, and files that sessions added to them.
import type { AddedFile } from '../../domain/tasks/feature.ts';
import type { Reader, Writer } from '../database.ts';

export async function insertTouchedFiles(
  db: Writer,
  feature: string,
  session_id: string,
  paths: readonly string[],
): Promise<void> {
  if (paths.length === 0) return;
  await db
    .insertInto('feature_files')
    .values(paths.map((path) => ({ feature, path, session_id })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export type TouchedFile = { feature: string; path: string; sessions: number };

/** Files that at least `least` sessions touched, most touched first. */
export async function oftenTouchedFiles(db: Reader, least: number, feature?: string): Promise<TouchedFile[]> {
  let query = db
    .selectFrom('feature_files')
    .select(({ fn }) => ['feature', 'path', fn.countAll<number>().as('sessions')]);
  if (feature !== undefined) query = query.where('feature', '=', feature);
  const rows = await query
    .groupBy(['feature', 'path'])
    .having(({ fn }) => fn.countAll(), '>=', least)
    .orderBy('feature')
    .orderBy('sessions', 'desc')
    .orderBy('path')
    .execute();
  return rows.map((row) => ({ ...row, sessions: Number(row.sessions) }));
}

/** By feature, of one or of all: the files that sessions added and no person removed, oldest first. */
export async function addedFiles(db: Reader, feature?: string): Promise<Map<string, AddedFile[]>> {
  let query = db
    .selectFrom('feature_context_files')
    .select(['feature', 'path', 'task_id', 'session_id', 'added'])
    .where('removed', 'is', null);
  if (feature !== undefined) query = query.where('feature', '=', feature);
  const byFeature = new Map<string, AddedFile[]>();
  for (const { feature: name, ...file } of await query.orderBy('added').orderBy('path').execute())
    byFeature.set(name, [...(byFeature.get(name) ?? []), file]);
  return byFeature;
}

export async function insertAddedFile(db: Writer, feature: string, file: AddedFile): Promise<void> {
  await db
    .insertInto('feature_context_files')
    .values({ feature, ...file })
    .execute();
}

/** Remembers that a person does not want the file. False if no session added it, or if it is removed already. */
export async function removeAddedFile(
  db: Writer,
  feature: string,
  path: string,
  removed: number,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('feature_context_files')
    .set({ removed })
    .where('feature', '=', feature)
    .where('path', '=', path)
    .where('removed', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** The paths that a person removed from the feature's prompts. */
export async function removedFiles(db: Reader, feature: string): Promise<string[]> {
  const rows = await db
    .selectFrom('feature_context_files')
    .select('path')
    .where('feature', '=', feature)
    .where('removed', 'is not', null)
    .orderBy('path')
    .execute();
  return rows.map(({ path }) => path);
}
