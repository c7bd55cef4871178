// The folder of a session in the state, and the only place that names its files.
import { join } from 'node:path';
import { writeFileWhole } from '../files/write-file.ts';
import { PRIVATE_FILE } from './private-state.ts';
import { databasePath } from './project.ts';

/** The folder of a session's prompt and stream. */
export const sessionDir = (stateDir: string, session_id: string): string =>
  join(stateDir, 'sessions', session_id);

/** The same for a planning session, which has no task and no row in the database. */
export const planningDir = (stateDir: string, session_id: string): string =>
  join(stateDir, 'planning', session_id);

/** The copy of the queue that a planning session works on. */
export const copyPath = (stateDir: string, session_id: string): string =>
  databasePath(planningDir(stateDir, session_id));

/** The names of its files, as `domain/sessions/artifact.ts` knows them. */
export const ARTIFACT = {
  /** The prompt, word for word. */
  prompt: 'prompt.md',
  /** The part of the prompt that became the agent's system prompt. */
  system: 'system.md',
  /** What the agent printed, a line of JSON each. */
  stream: 'stream.jsonl',
  errors: 'stream.stderr',
  /** The addresses that its sandbox refused, a line each. */
  refused: 'refused.log',
} as const;

export const promptFile = (folder: string): string => join(folder, ARTIFACT.prompt);
const systemFile = (folder: string): string => join(folder, ARTIFACT.system);
export const streamFile = (folder: string): string => join(folder, ARTIFACT.stream);
export const refusedFile = (folder: string): string => join(folder, ARTIFACT.refused);

/** A session does not survive its machine, and neither need its files. */
export const TRANSIENT = { mode: PRIVATE_FILE, isDurable: false } as const;

export async function writePromptFiles(
  folder: string,
  { system, prompt }: { system: string; prompt: string },
  /** For a client that works on across restarts of Ralph. */
  { isDurable = false }: { isDurable?: boolean } = {},
): Promise<void> {
  await writeFileWhole(systemFile(folder), system, { ...TRANSIENT, isDurable });
  await writeFileWhole(promptFile(folder), prompt, { ...TRANSIENT, isDurable });
}

/** What is kept of a planning session that is over. */
export const isKeptFile = (name: string): boolean => Object.values<string>(ARTIFACT).includes(name);
