// The files of sessions, for machines that did not run them. Written beside the lock and without events: nothing is decided by them.
import type { StoredArtifacts } from '../../domain/sessions/artifact.ts';
import {
  artifactNames,
  artifactSize,
  type Chunk,
  chunkDigests,
  deleteArtifactsBefore,
  deleteChunksFrom,
  digestChunk,
  packChunk,
  readChunk,
  upsertChunks,
} from '../../store/sessions/artifacts.ts';
import { endedSince } from '../../store/sessions/session-list.ts';
import type { Queue } from '../queue.ts';

export { type Chunk, digestChunk };

export const storedArtifacts = ({ store }: Pick<Queue, 'store'>): StoredArtifacts => ({
  find: (session_id, name) => store.read((db) => artifactSize(db, session_id, name)),
  readChunk: (session_id, name, seq) => store.read((db) => readChunk(db, session_id, name, seq)),
  names: (session_id) => store.read((db) => artifactNames(db, session_id)),
});

/** What the database has of a session: by name, the digests of its chunks in their order. */
export async function knownChunks({ store }: Queue, session_id: string): Promise<Map<string, string[]>> {
  const chunks = new Map<string, string[]>();
  for (const { name, seq, digest } of await store.read((db) => chunkDigests(db, session_id))) {
    const digests = chunks.get(name) ?? [];
    digests[seq] = digest;
    chunks.set(name, digests);
  }
  return chunks;
}

/** May be repeated: the same chunk replaces itself. */
export async function saveChunks(queue: Queue, session_id: string, chunks: readonly Chunk[]): Promise<void> {
  const packed = await Promise.all(chunks.map(packChunk));
  const at = queue.now();
  await queue.store.writeAside((db) => upsertChunks(db, session_id, packed, at));
}

/** Removes the chunks from `seq` on. */
export const cutArtifact = (
  { store }: Queue,
  session_id: string,
  end: { name: string; seq: number },
): Promise<void> => store.writeAside((db) => deleteChunksFrom(db, session_id, end));

/** Removes the files of sessions that ended more than `keepMs` ago. Their own machines keep theirs. */
export async function removeOldArtifacts(
  queue: Queue,
  keepMs: number,
  /** Of how many sessions at once: each may have a thousand chunks. */
  atOnce = 20,
): Promise<void> {
  const before = queue.now() - keepMs;
  const remove = (): Promise<number> =>
    queue.store.writeAside((db) => deleteArtifactsBefore(db, before, atOnce));
  while ((await remove()) === atOnce);
}

/** Which of these sessions ended within this time. */
export const recentlyEnded = (queue: Queue, ids: readonly string[], withinMs: number): Promise<string[]> =>
  queue.store.read((db) => endedSince(db, ids, queue.now() - withinMs));
