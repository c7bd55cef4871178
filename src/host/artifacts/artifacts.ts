// Where the files of sessions are read: on this machine if it has them, else in the database.
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  CHUNK_BYTES,
  isArtifact,
  type StoredArtifacts,
  type StoredSize,
} from '../../domain/sessions/artifact.ts';
import { leavesProject, type OpenedFile, openOwnFile } from '../../files/own-file.ts';
import { sessionDir } from '../session-folder.ts';

/** `isElsewhere`: another machine has the session, so a file here may be that of an earlier try. */
type ArtifactPlace = { session_id: string; isElsewhere?: boolean };

export type Artifacts = {
  /** Null if neither this machine nor the database has it. */
  open(place: ArtifactPlace, name: string): Promise<OpenedFile | null>;
  /** The names below a folder of the session, such as `gates`. */
  list(place: ArtifactPlace, folder: string): Promise<string[]>;
};

export function openArtifacts(stateDir: string, stored: StoredArtifacts): Artifacts {
  const openHere = async (session_id: string, name: string): Promise<OpenedFile | null> => {
    const folder = sessionDir(stateDir, session_id);
    // An agent may have put a link in the place of a folder or a file.
    if (!existsSync(folder) || leavesProject(folder, name)) return null;
    return openOwnFile(join(folder, name));
  };
  const openStored = async (session_id: string, name: string): Promise<OpenedFile | null> => {
    const size = await stored.find(session_id, name);
    return size === null ? null : storedFile(stored, { session_id, name, size });
  };
  return {
    open: async ({ session_id, isElsewhere = false }, name) => {
      if (!isArtifact(name)) return null;
      const [first, second] = isElsewhere ? [openStored, openHere] : [openHere, openStored];
      return (await first(session_id, name)) ?? (await second(session_id, name));
    },
    list: async ({ session_id }, folder) => {
      const here = await readdir(join(sessionDir(stateDir, session_id), folder)).catch(() => []);
      const names =
        here.length > 0 ? here.map((name) => `${folder}/${name}`) : await stored.names(session_id);
      return names.filter((name) => name.startsWith(`${folder}/`));
    },
  };
}

// A file of a session in the database, read like one on this machine. Its size is that of the moment when it was opened.

type StoredName = { session_id: string; name: string; size: StoredSize };

function storedFile(
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
