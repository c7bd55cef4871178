// A file of a session in the database, read like one on this machine. Its size is that of the moment when it was opened.
import { CHUNK_BYTES, type StoredArtifacts, type StoredSize } from '../../domain/sessions/artifact.ts';
import type { OpenedFile } from '../../files/own-file.ts';

type StoredName = { session_id: string; name: string; size: StoredSize };

export function storedFile(
  stored: StoredArtifacts,
  { session_id, name, size: { bytes: size, changed } }: StoredName,
): OpenedFile {
  let last: { seq: number; bytes: Uint8Array } | null = null;

  /** The bytes of the chunk from `offset` on. */
  async function readFrom(seq: number, offset: number): Promise<Uint8Array> {
    if (last?.seq !== seq) {
      const bytes = await stored.readChunk(session_id, name, seq);
      last = bytes === null ? null : { seq, bytes };
    }
    return last?.bytes.subarray(offset) ?? new Uint8Array();
  }

  return {
    read: async (buffer, offset, length, position) => {
      let filled = 0;
      while (filled < length) {
        const at = position + filled;
        const bytes = await readFrom(Math.floor(at / CHUNK_BYTES), at % CHUNK_BYTES);
        if (bytes.length === 0) break;
        const part = bytes.subarray(0, length - filled);
        buffer.set(part, offset + filled);
        filled += part.length;
      }
      return { bytesRead: filled };
    },
    stat: async () => ({ size, ino: 0, mtimeMs: changed, isFile: () => true }),
    close: async () => {},
  };
}
