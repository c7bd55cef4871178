import { open } from 'node:fs/promises';
import { join } from 'node:path';

/** Bounded, because sessions append to them for ever; the newest part is at the end and wins. */
const MAX_BYTES = 12 * 1024;

export type StateFiles = { notes: string | null; progress: string | null; learnings: string | null };

export async function readStateFiles(root: string): Promise<StateFiles> {
  const [notes, progress, learnings] = await Promise.all(
    ['CLAUDE.RALPH.md', 'progress.txt', 'learnings.txt'].map((name) =>
      newestPart(join(root, '.ralph', name)),
    ),
  );
  return { notes: notes ?? null, progress: progress ?? null, learnings: learnings ?? null };
}

async function newestPart(path: string): Promise<string | null> {
  const file = await open(path).catch(() => null);
  if (file === null) return null;
  try {
    const found = await file.stat();
    if (!found.isFile()) return null;
    const start = Math.max(0, found.size - MAX_BYTES);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_BYTES), 0, MAX_BYTES, start);
    const text = new TextDecoder().decode(buffer.subarray(0, bytesRead)).replaceAll('\0', '');
    if (start === 0) return text.trim() === '' ? null : text;
    // From the first whole line on, with a sign that there was more.
    return `(earlier lines are left out)\n${text.slice(text.indexOf('\n') + 1)}`;
  } finally {
    await file.close();
  }
}
