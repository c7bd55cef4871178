// One line in .ralph/progress.txt for every done. Prompts show the newest of them.
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { PROGRESS_FILE as FILE } from '../domain/definition.ts';
import { Refusal } from '../domain/refusal.ts';
import { singleLine, truncate, visible } from '../domain/text/text.ts';
import { lineAfter, readTail, withAppendFile, writeFileWhole } from '../files/write-file.ts';

/** The file before the last time it was full. */
const EARLIER_FILE = '.ralph/progress.old.txt';

const MAX_BYTES = 64 * 1024;
/** More than a prompt shows: a new file begins with as much of the one before. */
const KEPT_BYTES = 16 * 1024;
const MAX_SUMMARY = 300;

type ProgressLine = {
  session_id: string;
  task: { id: number; title: string };
  summary: string;
  /** When the task was done. */
  at: number;
};

/** Writes nothing if the line is there: a killed run may have written it before it marked the session. */
export async function appendProgress(root: string, progress: ProgressLine): Promise<void> {
  const path = join(root, FILE);
  try {
    const whole = await withAppendFile(path, async (file) => {
      const stat = await file.stat();
      if (!stat.isFile())
        throw new Refusal(`${FILE} is no file, so it got no line; put a file in its place.`);
      const change = planLine(await readTail(file, KEPT_BYTES), stat.size, progress);
      if (change?.kind === 'append') {
        await file.appendFile(change.text);
        await file.datasync();
      }
      return change?.kind === 'anew' ? change.text : null;
    });
    if (whole === null) return;
    await rename(path, join(root, EARLIER_FILE));
    await writeFileWhole(path, whole);
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error;
    throw new Refusal(`${FILE} cannot be written (${error.code}); check it.`, { cause: error });
  }
}

/** The same for a content that is no file. Null if it has the line. */
export function withProgressLine(content: Buffer, progress: ProgressLine): Buffer | null {
  const change = planLine(content.subarray(-KEPT_BYTES).toString('utf8'), content.length, progress);
  if (change === null) return null;
  return change.kind === 'anew'
    ? Buffer.from(change.text)
    : Buffer.concat([content, Buffer.from(change.text)]);
}

/** `anew`: the file is full, and a new one takes its place. Null if the line is there. */
function planLine(
  tail: string,
  size: number,
  progress: ProgressLine,
): { kind: 'append' | 'anew'; text: string } | null {
  const mark = `(session ${progress.session_id.slice(0, 8)})`;
  if (tail.split('\n').some((one) => one.endsWith(mark))) return null;
  const line = `${progressText(progress)} ${mark}\n`;
  // The first of the kept lines may be cut.
  if (size >= MAX_BYTES)
    return { kind: 'anew', text: `${tail.slice(tail.indexOf('\n') + 1).trimEnd()}\n${line}` };
  return { kind: 'append', text: lineAfter(tail, line) };
}

function progressText({ task, summary, at }: ProgressLine): string {
  const day = new Date(at).toISOString().slice(0, 10);
  const text = truncate(singleLine(visible(summary)), MAX_SUMMARY);
  return `${day} #${task.id} ${singleLine(visible(task.title))}${text === '' ? '' : `: ${text}`}`;
}
