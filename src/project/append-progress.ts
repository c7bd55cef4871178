// One line in .ralph/progress.txt for every done. Prompts show the newest of them.
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { Refusal } from '../domain/refusal.ts';
import { singleLine, truncate, visible } from '../domain/text/text.ts';
import { appendLine, readTail, withAppendFile } from '../files/append-line.ts';
import { writeFileWhole } from '../files/write-file.ts';

const FILE = '.ralph/progress.txt';
/** The file before the last time it was full. */
const EARLIER_FILE = '.ralph/progress.old.txt';

const MAX_BYTES = 64 * 1024;
/** More than a prompt shows: a new file begins with as much of the one before. */
const KEPT_BYTES = 16 * 1024;
const MAX_SUMMARY = 300;

export type ProgressLine = {
  session_id: string;
  task: { id: number; title: string };
  summary: string;
  /** When the task was done. */
  at: number;
};

/** Writes nothing if the line is there: a killed run may have written it before it marked the session. */
export async function appendProgress(root: string, progress: ProgressLine): Promise<void> {
  const path = join(root, FILE);
  const mark = `(session ${progress.session_id.slice(0, 8)})`;
  const line = `${progressText(progress)} ${mark}`;
  try {
    const full = await withAppendFile(path, async (file) => {
      const stat = await file.stat();
      if (!stat.isFile())
        throw new Refusal(`${FILE} is no file, so it got no line; put a file in its place.`);
      const tail = await readTail(file, KEPT_BYTES);
      if (tail.split('\n').some((one) => one.endsWith(mark))) return null;
      if (stat.size >= MAX_BYTES) return tail;
      await appendLine(file, tail, line);
      return null;
    });
    if (full === null) return;
    await rename(path, join(root, EARLIER_FILE));
    // The first of the kept lines may be cut.
    await writeFileWhole(path, `${full.slice(full.indexOf('\n') + 1).trimEnd()}\n${line}\n`);
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error;
    throw new Refusal(`${FILE} cannot be written (${error.code}); check it.`, { cause: error });
  }
}

function progressText({ task, summary, at }: ProgressLine): string {
  const day = new Date(at).toISOString().slice(0, 10);
  const text = truncate(singleLine(visible(summary)), MAX_SUMMARY);
  return `${day} #${task.id} ${singleLine(visible(task.title))}${text === '' ? '' : `: ${text}`}`;
}
