// What a session began with, kept beside its prompt: so that its commit holds its own work, also when somebody else finishes it.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { NO_WORK, type Work } from '../domain/gate.ts';
import type { Git } from './git.ts';
import { commitWork, treeOf } from './git-work.ts';
import { sessionDir } from './project.ts';
import { scratchOf } from './scratch.ts';
import { writeFileWhole } from './write-file.ts';

export type Place = Git & { stateDir: string };

const BASE = 'base-tree';

/**
 * `earlier`: the task's sessions since it was last done, oldest first. What they wrote and nobody committed is the task's
 * work as well, so a later attempt begins where the first one did.
 */
export async function beginWork(place: Place, session_id: string, earlier: readonly string[]): Promise<void> {
  const bases = await Promise.all(earlier.map((id) => baseOf(place, id)));
  const tree = bases.find((base) => base !== null) ?? (await currentTree(place));
  if (tree !== null) await writeBase(place, session_id, tree);
}

const baseFile = ({ stateDir }: Place, session_id: string): string =>
  join(sessionDir(stateDir, session_id), BASE);

export const writeBase = (place: Place, session_id: string, tree: string): Promise<void> =>
  writeFileWhole(baseFile(place, session_id), tree);

/** The tree before the task's work; null without git, or without a record of it. */
export const baseOf = (place: Place, session_id: string): Promise<string | null> =>
  readFile(baseFile(place, session_id), 'utf8').catch(() => null);

/** The tree that is judged, and under which a gate's result is known. */
export const currentTree = (place: Place): Promise<string | null> => treeOf(place, scratchOf(place));

export type TaskCommit = {
  session_id: string;
  base_commit: string | null;
  task_id: number;
  title: string;
  summary: string;
  /** The tree that the gates saw; null where there was none. */
  proven: string | null;
};

/** Commits the session's work. Without a record of how it began nothing is committed: it could be a person's. */
export async function commitSession(place: Place, input: TaskCommit): Promise<Work> {
  const { session_id, base_commit, task_id, title, summary, proven } = input;
  const from = await baseOf(place, session_id);
  if (from === null) return { ...NO_WORK, tree_hash: await currentTree(place) };
  return commitWork(place, scratchOf(place), {
    session_id,
    base_commit,
    proven,
    message: `${title}\n\n${summary.trim()}\n\nRalph-Task: ${task_id}\nRalph-Session: ${session_id}\n`,
    spansUpTo: async (to) => [{ from, to }],
  });
}
