// The files of sessions in the database, as packed chunks.
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import { CHUNK_BYTES, type StoredSize } from '../../domain/sessions/artifact.ts';
import type { Reader, Writer } from '../database.ts';

const [pack, unpack] = [promisify(deflateRaw), promisify(inflateRaw)];

export type Chunk = { name: string; seq: number; bytes: Uint8Array };
type ChunkDigest = { name: string; seq: number; digest: string };
type PackedChunk = ChunkDigest & { length: number; body: Uint8Array };

export const digestChunk = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

export const packChunk = async ({ name, seq, bytes }: Chunk): Promise<PackedChunk> => ({
  name,
  seq,
  length: bytes.length,
  digest: digestChunk(bytes),
  body: await pack(bytes),
});

/** Replaces chunks that are there: the last one of a file grows. */
export async function upsertChunks(
  db: Writer,
  session_id: string,
  chunks: readonly PackedChunk[],
  created: number,
): Promise<void> {
  for (const chunk of chunks)
    await db
      .insertInto('artifacts')
      .values({ session_id, created, ...chunk })
      .onConflict((conflict) =>
        conflict.columns(['session_id', 'name', 'seq']).doUpdateSet(({ ref }) => ({
          length: ref('excluded.length'),
          digest: ref('excluded.digest'),
          body: ref('excluded.body'),
          created: ref('excluded.created'),
        })),
      )
      .execute();
}

/** After a file was replaced by a shorter one. */
export async function deleteChunksFrom(
  db: Writer,
  session_id: string,
  { name, seq }: { name: string; seq: number },
): Promise<void> {
  await db
    .deleteFrom('artifacts')
    .where('session_id', '=', session_id)
    .where('name', '=', name)
    .where('seq', '>=', seq)
    .execute();
}

export const chunkDigests = (db: Reader, session_id: string): Promise<ChunkDigest[]> =>
  db
    .selectFrom('artifacts')
    .select(['name', 'seq', 'digest'])
    .where('session_id', '=', session_id)
    .orderBy('name')
    .orderBy('seq')
    .execute();

export async function artifactNames(db: Reader, session_id: string): Promise<string[]> {
  const rows = await db
    .selectFrom('artifacts')
    .select('name')
    .where('session_id', '=', session_id)
    .where('seq', '=', 0)
    .orderBy('name')
    .execute();
  return rows.map(({ name }) => name);
}

export async function artifactSize(db: Reader, session_id: string, name: string): Promise<StoredSize | null> {
  const last = await db
    .selectFrom('artifacts')
    .select(['seq', 'length', 'created'])
    .where('session_id', '=', session_id)
    .where('name', '=', name)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  return last === undefined ? null : { bytes: last.seq * CHUNK_BYTES + last.length, changed: last.created };
}

export async function readChunk(
  db: Reader,
  session_id: string,
  name: string,
  seq: number,
): Promise<Uint8Array | null> {
  const row = await db
    .selectFrom('artifacts')
    .select('body')
    .where('session_id', '=', session_id)
    .where('name', '=', name)
    .where('seq', '=', seq)
    .executeTakeFirst();
  // Bounded: what unpacks to more was not written by Ralph.
  return row === undefined ? null : unpack(row.body, { maxOutputLength: CHUNK_BYTES });
}

/** Of some sessions that ended before this time. Returns how many sessions lost their chunks. */
export async function deleteArtifactsBefore(db: Writer, ended: number, most: number): Promise<number> {
  const old = await db
    .selectFrom('sessions')
    .select('id')
    .where('ended', '<', ended)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('artifacts').select('seq').whereRef('artifacts.session_id', '=', 'sessions.id').limit(1),
      ),
    )
    .orderBy('id')
    .limit(most)
    .execute();
  if (old.length > 0)
    await db
      .deleteFrom('artifacts')
      .where(
        'session_id',
        'in',
        old.map(({ id }) => id),
      )
      .execute();
  return old.length;
}
