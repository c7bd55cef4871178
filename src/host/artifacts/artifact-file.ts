// A file of a session, cut into the chunks that the database keeps. Of a long file it keeps the two ends.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { CHUNK_BYTES, isArtifact, KEPT_BYTES } from '../../domain/sessions/artifact.ts';
import { leavesProject, type OpenedFile, openOwnFile } from '../../files/own-file.ts';
import { sessionDir } from '../session-folder.ts';

/** No session has more; an agent that fills the folder must not fill the database. */
const MAX_FILES = 200;

/** The names of the session's files on this machine that other machines may read. */
export async function artifactsHere(stateDir: string, session_id: string): Promise<string[]> {
  const folder = sessionDir(stateDir, session_id);
  const found = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const below = await Promise.all(
    found
      .filter((entry) => entry.isDirectory())
      .map(async ({ name }) =>
        (await readdir(join(folder, name)).catch(() => [])).map((file) => `${name}/${file}`),
      ),
  );
  const files = found.filter((entry) => entry.isFile()).map(({ name }) => name);
  return [...files, ...below.flat()].filter(isArtifact).sort().slice(0, MAX_FILES);
}

/** What the database gets of a file: `count` chunks. `stamp` changes with the file. */
export type ArtifactFile = {
  stamp: string;
  count: number;
  readChunk(seq: number): Promise<Buffer>;
  close(): Promise<void>;
};

type CutOptions = {
  /** Nothing more will be written: now the last part of a long file is known. */
  isFinal: boolean;
  /** The line that stands for so many bytes which are left out. */
  note(bytes: number): string;
  kept?: typeof KEPT_BYTES;
};

/** Null if there is no such file, or an agent put a link in its place. */
export async function openArtifactFile(
  stateDir: string,
  session_id: string,
  name: string,
  options: CutOptions,
): Promise<ArtifactFile | null> {
  const folder = sessionDir(stateDir, session_id);
  const file = leavesProject(folder, name) ? null : await openOwnFile(join(folder, name));
  if (file === null) return null;
  const { size, mtimeMs } = await file.stat();
  const parts = cutParts(size, options);
  const bytes = parts.reduce((sum, part) => sum + partLength(part), 0);
  return {
    stamp: `${size} ${mtimeMs} ${options.isFinal}`,
    count: Math.ceil(bytes / CHUNK_BYTES),
    readChunk: (seq) => readParts(file, parts, seq * CHUNK_BYTES),
    close: () => file.close(),
  };
}

/** A range of the file, or a text in its place. */
type Part = { from: number; to: number } | Buffer;

const partLength = (part: Part): number => (Buffer.isBuffer(part) ? part.length : part.to - part.from);

function cutParts(size: number, { isFinal, note, kept = KEPT_BYTES }: CutOptions): Part[] {
  const { head, tail } = kept;
  if (size <= head || (isFinal && size <= head + tail)) return [{ from: 0, to: size }];
  const beginning = { from: 0, to: head };
  if (!isFinal) return [beginning];
  const sentence = Buffer.from(`\n${note(size - head - tail)}\n`);
  return [beginning, sentence, { from: size - tail, to: size }];
}

/** Up to one chunk, from this position of all parts together. */
async function readParts(file: OpenedFile, parts: readonly Part[], position: number): Promise<Buffer> {
  const chunk = Buffer.alloc(CHUNK_BYTES);
  let [filled, start] = [0, 0];
  for (const part of parts) {
    const length = partLength(part);
    const skipped = Math.max(0, position + filled - start);
    const wanted = Math.min(length - skipped, CHUNK_BYTES - filled);
    if (wanted > 0) {
      if (Buffer.isBuffer(part)) filled += part.copy(chunk, filled, skipped, skipped + wanted);
      else filled += (await file.read(chunk, filled, wanted, part.from + skipped)).bytesRead;
    }
    start += length;
  }
  return chunk.subarray(0, filled);
}
