// Vectors of learnings, stored as the bytes of 32-bit floats.
import { sql } from 'kysely';
import type { Learning } from '../../domain/learnings/learning.ts';
import type { Reader, Writer } from '../database.ts';
import { insertRows } from '../rows.ts';

type StoredVector = { id: number; hash: string; vector: Float32Array };

/** The vectors of active learnings of these features and of the whole project. */
export async function loadVectors(
  db: Reader,
  model: string,
  features: readonly string[],
): Promise<{ id: number; feature: string | null; vector: Float32Array }[]> {
  const rows = await withVector(db, model, features)
    .select(['learnings.id', 'learnings.feature', 'vectors.vector'])
    .orderBy('learnings.id')
    .execute();
  return rows.map(({ vector, ...row }) => ({ ...row, vector: toFloats(vector) }));
}

/** The text hash and length of each vector, without the vectors themselves. */
export async function vectorStamps(
  db: Reader,
  model: string,
  features: readonly string[],
): Promise<{ id: number; hash: string; dimensions: number }[]> {
  const rows = await withVector(db, model, features)
    .select(['learnings.id', 'vectors.hash', sql<number>`length(vectors.vector)`.as('bytes')])
    .orderBy('learnings.id')
    .execute();
  return rows.map(({ id, hash, bytes }) => ({
    id,
    hash,
    dimensions: bytes / Float32Array.BYTES_PER_ELEMENT,
  }));
}

const withVector = (db: Reader, model: string, features: readonly string[]) =>
  searchable(db, features)
    .innerJoin('comment_embeddings as vectors', 'vectors.comment_id', 'learnings.id')
    .where('vectors.model', '=', model);

/** Whether a similarity search could find anything. */
export const hasSearchableLearnings = async (db: Reader, features: readonly string[]): Promise<boolean> =>
  (await searchable(db, features).select('id').limit(1).executeTakeFirst()) !== undefined;

/** The texts to compute vectors for, newest first. */
export const searchableTexts = (
  db: Reader,
  features: readonly string[],
): Promise<Pick<Learning, 'id' | 'category' | 'body' | 'reason'>[]> =>
  searchable(db, features)
    .select(['id', 'category', 'body', 'reason'])
    .orderBy('id', 'desc')
    .$castTo<Pick<Learning, 'id' | 'category' | 'body' | 'reason'>>()
    .execute();

const searchable = (db: Reader, features: readonly string[]) =>
  db
    .selectFrom('feature_comments as learnings')
    .where('learnings.archived', 'is', null)
    .where('learnings.proven', 'is not', null)
    .where('learnings.scope', '<>', 'task')
    .where(({ eb, or }) => or([eb('feature', 'is', null), eb('feature', 'in', [...features])]));

/** Keeps one vector per learning, so those of another model go. `stale` vectors are deleted and computed again later. */
export async function saveVectors(
  db: Writer,
  model: string,
  vectors: readonly StoredVector[],
  stale: readonly number[],
  created: number,
): Promise<void> {
  const replaced = [...vectors.map(({ id }) => id), ...stale];
  await db.deleteFrom('comment_embeddings').where('comment_id', 'in', replaced).execute();
  // A person may have removed a learning while its vector was computed.
  const rows = await db.selectFrom('feature_comments').select('id').where('id', 'in', replaced).execute();
  const existing = new Set(rows.map(({ id }) => id));
  await insertRows(
    db,
    'comment_embeddings',
    vectors
      .filter(({ id }) => existing.has(id))
      .map(({ id, hash, vector }) => ({
        comment_id: id,
        model,
        hash,
        vector: toBytes(vector),
        created,
      })),
  );
}

const toBytes = (vector: Float32Array): Uint8Array =>
  new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);

/** Copies the bytes: those of a row may not be aligned for floats. */
const toFloats = (bytes: Uint8Array): Float32Array => new Float32Array(Uint8Array.from(bytes).buffer);
