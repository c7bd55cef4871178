// Files that sessions of a feature touched: what they all look for, the next one should be given.
import type { Reader, Writer } from '../database.ts';

export async function insertTouched(
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

/** Those that at least so many sessions touched, the most touched first. */
export async function oftenTouched(db: Reader, least: number, feature?: string): Promise<TouchedFile[]> {
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
