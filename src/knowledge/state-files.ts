import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { inspect } from './find-files.ts';
import { secretMatcher } from './secrets.ts';

/** Bounded, because sessions append to them for ever; the newest part is at the end and wins. */
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
  // By the same rules as any other file: a link to a key is not a note.
  const found = await inspect(root, path);
  if (found.kind !== 'file' || secretMatcher([])(found.real)) return null;
  const file = await open(join(root, path)).catch(() => null);
  if (file === null) return null;
  try {
    const { size } = await file.stat();
    const start = Math.max(0, size - MAX_BYTES);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_BYTES), 0, MAX_BYTES, start);
    const text = new TextDecoder().decode(buffer.subarray(0, bytesRead)).replaceAll('\0', '');
    if (start === 0) return text.trim() === '' ? null : text;
    // From the first whole line on, with a sign that there was more.
    return `(earlier lines are left out)\n${text.slice(text.indexOf('\n') + 1)}`;
  } finally {
    await file.close();
  }
}
