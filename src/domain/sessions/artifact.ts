// The files that a session leaves: its prompt, what it printed, the logs of its gates. Each machine has those of its own sessions; in a
// fleet the database has them too, in chunks.

/** Only the last chunk of a file is shorter. */
export const CHUNK_BYTES = 64 * 1024;

const MEGABYTE = 1024 * 1024;

/** Of a longer file the database gets the beginning, and at its end the last part. Both are multiples of a chunk. */
export const KEPT_BYTES = { head: 56 * MEGABYTE, tail: 8 * MEGABYTE };

/** Not among them: what holds tokens (`mcp.json`), and what only the machine itself needs. */
const NAMES =
  /^(?:(?:review\/)?(?:prompt\.md|system\.md|stream\.jsonl|stream\.stderr|refused\.log)|gates(?:-[a-z]+)?\/[\w.-]{1,250}\.log)$/;

/** `name`: the path of a file in the folder of its session. */
export const isArtifact = (name: string): boolean => NAMES.test(name);

/** Gates may run again on another machine; what the agent printed is that of one machine. */
export const isGateLog = (name: string): boolean => name.startsWith('gates');

/** The name of a gate's log, whose path may be one of another machine. Null for a path outside of its session. */
export function gateLogName(session_id: string, path: string): string | null {
  const folder = `/sessions/${session_id}/`;
  const at = path.lastIndexOf(folder);
  const name = at < 0 ? '' : path.slice(at + folder.length);
  return isArtifact(name) ? name : null;
}

/** What a file says in place of the bytes that the database did not get. */
export const cutSentence = (bytes: number): string =>
  `Ralph keeps the two ends of a file this long for other machines, and left out ${bytes} bytes here.`;

/** Of a file in the database. `changed`: when its last chunk was written. */
export type StoredSize = { bytes: number; changed: number };

/** The files that the database has. */
export type StoredArtifacts = {
  /** Null if it has nothing of the file. */
  find(session_id: string, name: string): Promise<StoredSize | null>;
  /** Null if there is no such chunk. */
  readChunk(session_id: string, name: string, seq: number): Promise<Uint8Array | null>;
  names(session_id: string): Promise<string[]>;
};
