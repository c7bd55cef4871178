import { type Selectable, type SqlBool, sql } from 'kysely';
import type { LearningDefinition } from '../domain/definition.ts';
import { folded } from '../domain/text.ts';
import type { Database, Reader, Writer } from './database.ts';

export type Learning = Omit<LearningDefinition, 'at'> & {
  id: number;
  task_id: number | null;
  session_id: string | null;
  created: number;
};

/** The id of the new row, or null where the feature knew this already, word for word. */
export async function insertLearning(db: Writer, learning: Omit<Learning, 'id'>): Promise<number | null> {
  const row = await db
    .insertInto('feature_comments')
    .values({ ...learning, hash: await learningHash(learning.body) })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  return row?.id ?? null;
}

export async function allLearnings(db: Reader): Promise<Learning[]> {
  return (await db.selectFrom('feature_comments').selectAll().orderBy('id').execute()).map(fromRow);
}

/** Of the feature and of the whole project, the newest first. */
export async function newestLearnings(
  db: Reader,
  feature: string | null,
  limit: number,
): Promise<Learning[]> {
  const rows = await db
    .selectFrom('feature_comments')
    .selectAll()
    .where(({ eb, or }) =>
      or([eb('scope', '=', 'project'), ...(feature === null ? [] : [eb('feature', '=', feature)])]),
    )
    .where('scope', '<>', 'task')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  return rows.map(fromRow);
}

const fromRow = ({
  hash: _,
  scope,
  category,
  ...row
}: Selectable<Database['feature_comments']>): Learning => ({
  ...row,
  scope: scope as Learning['scope'],
  category: category as Learning['category'],
});

/** Case, spacing and closing punctuation do not make a new thought. */
async function learningHash(body: string): Promise<string> {
  const normalised = folded(body.normalize('NFKC').toLowerCase()).replace(/[.!]+$/, '');
  // Imported late: few commands learn anything, and all of them start.
  const { createHash } = await import('node:crypto');
  return createHash('sha256').update(normalised).digest('hex');
}

/** Of the feature itself, the newest first; of the whole project for null. */
export async function learningsOf(db: Reader, feature: string | null, limit: number): Promise<Learning[]> {
  const rows = await db
    .selectFrom('feature_comments')
    .selectAll()
    .where('feature', feature === null ? 'is' : '=', feature)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  return rows.map(fromRow);
}

export async function countLearnings(db: Reader): Promise<Map<string | null, number>> {
  const rows = await db
    .selectFrom('feature_comments')
    .select(({ fn }) => ['feature', fn.countAll<number>().as('count')])
    .groupBy('feature')
    .execute();
  return new Map(rows.map(({ feature, count }) => [feature, Number(count)]));
}

/** What the sessions of this run left. */
export async function countLearningsOfRun(db: Reader, run_id: number): Promise<number> {
  const { count } = await db
    .selectFrom('feature_comments')
    .innerJoin('sessions', 'sessions.id', 'feature_comments.session_id')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('sessions.run_id', '=', run_id)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Those that hold every word, the newest first. */
export async function findLearnings(
  db: Reader,
  words: readonly string[],
  feature: string | null,
  limit: number,
): Promise<Learning[]> {
  let query = db.selectFrom('feature_comments').selectAll();
  if (feature !== null) query = query.where('feature', '=', feature);
  for (const word of words) {
    const pattern = `%${word.replace(/[\\%_]/g, '\\$&')}%`;
    query = query.where(
      sql<SqlBool>`(body || ' ' || coalesce(reason, '') || ' ' || category) like ${pattern} escape '\\'`,
    );
  }
  return (await query.orderBy('id', 'desc').limit(limit).execute()).map(fromRow);
}
