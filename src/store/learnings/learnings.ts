import type { Selectable } from 'kysely';
import type { Archivist, Learning } from '../../domain/learnings/learning.ts';
import { lowerCaseWords } from '../../domain/learnings/search-words.ts';
import { singleLine } from '../../domain/text/text.ts';
import type { Database, Reader, Writer } from '../database.ts';
import { indexLearning, unindexLearning } from './learning-index.ts';

type NewLearning = Omit<Learning, 'id' | 'given' | 'passed'>;

/** The id of the new row; null if the feature already has this learning word for word. */
export async function insertLearning(db: Writer, learning: NewLearning): Promise<number | null> {
  const row = await db
    .insertInto('feature_comments')
    .values({ ...learning, hash: await learningHash(learning.body) })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  if (row === undefined) return null;
  await indexLearning(db, { ...learning, id: row.id });
  return row.id;
}

export async function findLearning(db: Reader, id: number): Promise<Learning | null> {
  const [learning] = await findLearnings(db, [id]);
  return learning ?? null;
}

/** In the order of `ids`; missing ones are left out. */
export async function findLearnings(db: Reader, ids: readonly number[]): Promise<Learning[]> {
  if (ids.length === 0) return [];
  const rows = await db.selectFrom('feature_comments').selectAll().where('id', 'in', ids).execute();
  const byId = new Map(rows.map((row) => [row.id, learningFromRow(row)]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** The learning with the same words, archived or not. */
export async function findSameLearning(
  db: Reader,
  { feature, scope, body }: Pick<Learning, 'feature' | 'scope' | 'body'>,
): Promise<Learning | null> {
  const row = await db
    .selectFrom('feature_comments')
    .selectAll()
    .where('hash', '=', await learningHash(body))
    .where('scope', '=', scope)
    .where('feature', feature === null ? 'is' : '=', feature)
    .executeTakeFirst();
  return row === undefined ? null : learningFromRow(row);
}

/** The learnings with these hashes, of any feature and scope. */
export async function learningIdsByHash(db: Reader, hashes: readonly string[]): Promise<number[]> {
  if (hashes.length === 0) return [];
  const rows = await db
    .selectFrom('feature_comments')
    .select('id')
    .where('hash', 'in', [...hashes])
    .orderBy('id')
    .execute();
  return rows.map(({ id }) => id);
}

type Patch = Partial<
  Pick<Learning, 'category' | 'body' | 'summary' | 'reason' | 'conflicts_with' | 'proven' | 'author'>
>;

export async function updateLearning(db: Writer, learning: Learning, patch: Patch): Promise<void> {
  const hash = patch.body === undefined ? {} : { hash: await learningHash(patch.body) };
  await db
    .updateTable('feature_comments')
    .set({ ...patch, ...hash })
    .where('id', '=', learning.id)
    .execute();
  await indexLearning(db, { ...learning, ...patch });
}

/** What the sessions of the task learned, and neither a gate nor a person has vouched for. */
export async function unprovenOfTask(db: Reader, task_id: number): Promise<Learning[]> {
  const rows = await db
    .selectFrom('feature_comments')
    .selectAll()
    .where('task_id', '=', task_id)
    .where('proven', 'is', null)
    .orderBy('id')
    .execute();
  return rows.map(learningFromRow);
}

export async function confirmLearning(db: Writer, id: number): Promise<void> {
  await db
    .updateTable('feature_comments')
    .set(({ eb }) => ({ confirmations: eb('confirmations', '+', 1) }))
    .where('id', '=', id)
    .execute();
}

export async function archiveLearning(
  db: Writer,
  learning: Learning,
  by: Archivist,
  at: number,
): Promise<void> {
  await db
    .updateTable('feature_comments')
    .set({ archived: at, archived_by: by })
    .where('id', '=', learning.id)
    .execute();
  await indexLearning(db, { ...learning, archived: at });
}

export async function restoreLearning(db: Writer, learning: Learning): Promise<void> {
  await db
    .updateTable('feature_comments')
    .set({ archived: null, archived_by: null })
    .where('id', '=', learning.id)
    .execute();
  await indexLearning(db, { ...learning, archived: null });
}

export async function deleteLearning(db: Writer, id: number): Promise<void> {
  await unindexLearning(db, id);
  await db.deleteFrom('comment_embeddings').where('comment_id', '=', id).execute();
  await db.deleteFrom('feature_comments').where('id', '=', id).execute();
}

export async function allLearnings(db: Reader): Promise<Learning[]> {
  return (await db.selectFrom('feature_comments').selectAll().orderBy('id').execute()).map(learningFromRow);
}

export const learningFromRow = ({
  hash: _,
  scope,
  category,
  ...row
}: Selectable<Database['feature_comments']>): Learning => ({
  ...row,
  scope: scope as Learning['scope'],
  category: category as Learning['category'],
});

/** Ignores case, spacing and final punctuation. The journal identifies a learning by this hash. */
async function learningHash(body: string): Promise<string> {
  const normalised = singleLine(lowerCaseWords(body.normalize('NFKC'))).replace(/[.!]+$/, '');
  // Imported late: few commands add a learning, and all of them must start fast.
  const { createHash } = await import('node:crypto');
  return createHash('sha256').update(normalised).digest('hex');
}
