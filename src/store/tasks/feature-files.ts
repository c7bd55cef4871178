// Files that sessions of a feature touched. Ralph should give the frequent ones to the next session.
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
