// What a session began with, kept beside its prompt: so that its commit holds its own work, also when somebody else finishes it.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { NO_WORK, type Work } from '../domain/gate.ts';
import type { Git } from './git.ts';
import { type CommitInput, commitWork, treeOf } from './git-work.ts';
import { sessionDir } from './project.ts';
import { writeFileWhole } from './write-file.ts';

export type Place = Git & { stateDir: string };

const BASE = 'base-tree';

const scratchOf = ({ stateDir }: Place): string => join(stateDir, 'scratch');

export async function beginWork(place: Place, session_id: string): Promise<void> {
  const tree = await treeOf(place, scratchOf(place));
  if (tree !== null) await writeFileWhole(join(sessionDir(place.stateDir, session_id), BASE), tree);
}

/** The tree that is judged, and under which a gate's result is known. */
export const currentTree = (place: Place): Promise<string | null> => treeOf(place, scratchOf(place));

/** Commits the session's work. Without a record of how it began nothing is committed: it could be a person's. */
export async function commitSession(place: Place, input: Omit<CommitInput, 'base_tree'>): Promise<Work> {
  const file = join(sessionDir(place.stateDir, input.session_id), BASE);
  const base_tree = await readFile(file, 'utf8').catch(() => null);
  if (base_tree === null) return { ...NO_WORK, tree_hash: await currentTree(place) };
  return commitWork(place, scratchOf(place), { ...input, base_tree });
}
