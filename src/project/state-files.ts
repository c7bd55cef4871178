import { join } from 'node:path';
import { inspect } from '../files/find-files.ts';
import { readEnd } from '../files/read-end.ts';
import { secretMatcher } from '../files/secret-files.ts';

/** Sessions append to these files forever, so Ralph reads only the newest part, at the end. */
const MAX_BYTES = 12 * 1024;

export type StateFiles = { notes: string | null; progress: string | null; learnings: string | null };

export async function readStateFiles(root: string): Promise<StateFiles> {
  const [notes, progress, learnings] = await Promise.all(
    ['CLAUDE.RALPH.md', 'progress.txt', 'learnings.txt'].map((name) =>
      newestPart(root, join('.ralph', name)),
    ),
  );
  return { notes: notes ?? null, progress: progress ?? null, learnings: learnings ?? null };
}

async function newestPart(root: string, path: string): Promise<string | null> {
  // The rules of any other file hold here too: a link to a private key is not a note.
  const found = await inspect(root, path);
  if (found.kind !== 'file' || secretMatcher([])(found.real)) return null;
  const end = await readEnd(join(root, path), MAX_BYTES);
  if (end === null) return null;
  if (end.isWhole) return end.text.trim() === '' ? null : end.text;
  return `(earlier lines are left out)\n${end.text}`;
}
