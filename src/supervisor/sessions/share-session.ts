// Brings what a session writes into the database, for the other machines. It reads the session's files: these are masked, bounded, and
// there for as long as the database does not answer.
import { cutSentence, isGateLog } from '../../domain/sessions/artifact.ts';
import { type ArtifactFile, artifactsHere, openArtifactFile } from '../../host/artifacts/artifact-file.ts';
import type { Queue } from '../../queue/queue.ts';
import {
  type Chunk,
  cutArtifact,
  digestChunk,
  knownChunks,
  saveChunks,
} from '../../queue/sessions/artifacts.ts';
import { noteLine } from '../agents/agent-stream.ts';

/** A megabyte in one transaction. */
const CHUNKS_PER_WRITE = 16;
/** While the session is at work, a file gets at most so much at a time: the others must not wait for it. */
const CHUNKS_PER_PASS = 64;

export type SharePlace = { queue: Queue; stateDir: string };

export type SharedSession = {
  /** Writes what is new. `isFinal`: the session has ended, and all its files are compared once more. */
  pass(isFinal: boolean): Promise<void>;
  /** Another run has the session: the logs of its gates count, and this machine adds only those that are missing. */
  give(): void;
};

export function shareSession(
  { queue, stateDir }: SharePlace,
  session_id: string,
  isOwn = true,
): SharedSession {
  let known: Map<string, string[]> | null = null;
  let isOwner = isOwn;
  let last: Promise<void> = Promise.resolve();
  const stamps = new Map<string, string>();

  async function pass(isFinal: boolean): Promise<void> {
    known ??= await knownChunks(queue, session_id);
    for (const name of await artifactsHere(stateDir, session_id)) {
      const digests = known.get(name) ?? [];
      if (isGateLog(name) && !isOwner && digests.length > 0 && !stamps.has(name)) continue;
      const note = (bytes: number): string =>
        name.endsWith('.jsonl') ? noteLine(cutSentence(bytes)) : `(${cutSentence(bytes)})`;
      const file = await openArtifactFile(stateDir, session_id, name, { isFinal, note });
      if (file === null) continue;
      known.set(name, digests);
      try {
        if (stamps.get(name) === file.stamp) continue;
        if (await shareFile(name, file, digests, isFinal)) stamps.set(name, file.stamp);
      } finally {
        await file.close();
      }
    }
  }

  /** False if a part is left for the next pass. */
  async function shareFile(
    name: string,
    file: ArtifactFile,
    digests: string[],
    isFinal: boolean,
  ): Promise<boolean> {
    // The last chunk may have grown. At the end all are compared: a gate that ran twice wrote its log anew.
    const first = isFinal ? 0 : Math.max(0, digests.length - 1);
    const end = isFinal ? file.count : Math.min(file.count, first + CHUNKS_PER_PASS);
    let batch: Chunk[] = [];
    const flush = async (): Promise<void> => {
      if (batch.length === 0) return;
      await saveChunks(queue, session_id, batch);
      for (const { seq, bytes } of batch) digests[seq] = digestChunk(bytes);
      batch = [];
    };
    for (let seq = first; seq < end; seq++) {
      const bytes = await file.readChunk(seq);
      if (bytes.length > 0 && digests[seq] !== digestChunk(bytes)) batch.push({ name, seq, bytes });
      if (batch.length === CHUNKS_PER_WRITE) await flush();
    }
    await flush();
    if (digests.length > file.count) {
      await cutArtifact(queue, session_id, { name, seq: file.count });
      digests.length = file.count;
    }
    return end === file.count;
  }

  return {
    // One after another: two that compare at once would each undo what the other wrote.
    pass: (isFinal) => {
      const result = last.then(() => pass(isFinal));
      last = result.catch(() => {});
      return result;
    },
    give: () => {
      isOwner = false;
    },
  };
}
