import { join } from 'node:path';
import { type AcceptedFiles, acceptedContent } from '../files/accepted-files.ts';
import { inspect } from '../files/find-files.ts';
import { type FileEnd, readEnd, toFileEnd } from '../files/read-lines.ts';
import { secretMatcher } from '../files/secret-files.ts';

/**
 * These files grow forever, so Ralph reads only the newest part, at the end. Of the progress, a line for every done, a session
 * needs the least: its task, feature and prerequisites say what matters to it.
 */
const MAX_BYTES = { 'CLAUDE.RALPH.md': 12 * 1024, 'progress.txt': 2 * 1024, 'learnings.txt': 12 * 1024 };

type StateFiles = { notes: string | null; progress: string | null; learnings: string | null };

export async function readStateFiles(root: string, accepted: AcceptedFiles = null): Promise<StateFiles> {
  const [notes, progress, learnings] = await Promise.all(
    Object.entries(MAX_BYTES).map(([name, bytes]) => newestPart(root, `.ralph/${name}`, bytes, accepted)),
  );
  return { notes: notes ?? null, progress: progress ?? null, learnings: learnings ?? null };
}

async function newestPart(
  root: string,
  path: string,
  bytes: number,
  accepted: AcceptedFiles,
): Promise<string | null> {
  const content = acceptedContent(accepted, path);
  const end =
    content === undefined
      ? await readFileEnd(root, path, bytes)
      : content === null
        ? null
        : toFileEnd(content.subarray(-bytes), content.length);
  if (end === null) return null;
  if (end.isWhole) return end.text.trim() === '' ? null : end.text;
  return `(earlier lines are left out)\n${end.text}`;
}

async function readFileEnd(root: string, path: string, bytes: number): Promise<FileEnd | null> {
  // The rules of any other file hold here too: a link to a private key is not a note.
  const found = await inspect(root, path);
  if (found.kind !== 'file' || secretMatcher([])(found.real)) return null;
  return readEnd(join(root, path), bytes);
}
