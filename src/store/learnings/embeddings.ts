// Vectors of learnings, as the bytes of 32-bit floats.
import { sql } from 'kysely';
import type { Learning } from '../../domain/learnings/learning.ts';
import type { Reader, Writer } from '../database.ts';
import { insertRows } from '../insert-rows.ts';

export type StoredVector = { id: number; hash: string; vector: Float32Array };

/** Those of the active learnings of these features and of the whole project. */
export async function vectorsOf(
  db: Reader,
  model: string,
  features: readonly string[],
): Promise<{ id: number; feature: string | null; vector: Float32Array }[]> {
  const rows = await withVector(db, model, features)
    .select(['learnings.id', 'learnings.feature', 'vectors.vector'])
    .execute();
  return rows.map(({ vector, ...row }) => ({ ...row, vector: floatsOf(vector) }));
}

/** Of which text each is, and how long, without the vectors themselves. */
export async function vectorStamps(
  db: Reader,
  model: string,
  features: readonly string[],
): Promise<{ id: number; hash: string; dimensions: number }[]> {
  const rows = await withVector(db, model, features)
    .select(['learnings.id', 'vectors.hash', sql<number>`length(vectors.vector)`.as('bytes')])
    .execute();
  return rows.map(({ id, hash, bytes }) => ({
    id,
    hash,
    dimensions: bytes / Float32Array.BYTES_PER_ELEMENT,
  }));
}

const withVector = (db: Reader, model: string, features: readonly string[]) =>
  searched(db, features)
    .innerJoin('comment_embeddings as vectors', 'vectors.comment_id', 'learnings.id')
    .where('vectors.model', '=', model);

/** Whether there is anything to be near to. */
export const hasSearched = async (db: Reader, features: readonly string[]): Promise<boolean> =>
  (await searched(db, features).select('id').limit(1).executeTakeFirst()) !== undefined;

/** What there is to have a vector of, the newest first. */
export const searchedTexts = (
  db: Reader,
  features: readonly string[],
): Promise<Pick<Learning, 'id' | 'category' | 'body' | 'reason'>[]> =>
  searched(db, features)
    .select(['id', 'category', 'body', 'reason'])
    .orderBy('id', 'desc')
    .$castTo<Pick<Learning, 'id' | 'category' | 'body' | 'reason'>>()
    .execute();

const searched = (db: Reader, features: readonly string[]) =>
  db
    .selectFrom('feature_comments as learnings')
    .where('learnings.archived', 'is', null)
    .where('learnings.scope', '<>', 'task')
    .where(({ eb, or }) => or([eb('feature', 'is', null), eb('feature', 'in', [...features])]));

/** One vector a learning: those of another model are of no use any more. `stale` ones go, and are made anew another time. */
export async function saveVectors(
  db: Writer,
  model: string,
  vectors: readonly StoredVector[],
  stale: readonly number[],
  created: number,
): Promise<void> {
  const gone = [...vectors.map(({ id }) => id), ...stale];
  await db.deleteFrom('comment_embeddings').where('comment_id', 'in', gone).execute();
  // Somebody may have removed a learning while its vector was made.
  const rows = await db.selectFrom('feature_comments').select('id').where('id', 'in', gone).execute();
  const there = new Set(rows.map(({ id }) => id));
  await insertRows(
    db,
    'comment_embeddings',
    vectors
      .filter(({ id }) => there.has(id))
      .map(({ id, hash, vector }) => ({
        comment_id: id,
        model,
        hash,
        vector: bytesOf(vector),
        created,
      })),
  );
}

const bytesOf = (vector: Float32Array): Uint8Array =>
  new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);

/** Copied: the bytes of a row need not begin where a float may. */
const floatsOf = (bytes: Uint8Array): Float32Array => new Float32Array(Uint8Array.from(bytes).buffer);
