import { type FileHandle, lstat, mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { JournalEntry } from '../../domain/journal/journal.ts';
import { Refusal } from '../../domain/refusal.ts';
import { visibleJson } from '../../domain/text/text.ts';
import { appendLine, readTail, withAppendFile } from '../../files/write-file.ts';
import { fileNumber, JOURNAL_FOLDER, journalFiles, journalName } from './journal.ts';

/** A file that reaches this size gets no more lines; Ralph starts the next one. */
const MAX_BYTES = 1024 * 1024;
/** A session that the database does not count as journaled yet has its line, if any, within the last part of the file. */
const TAIL_BYTES = 256 * 1024;

/** Returns only when the whole line is on disk. If a kill tore an earlier line, the entry starts on a new one. */
export async function appendJournal(root: string, entry: JournalEntry): Promise<void> {
  await requireFolder(root).catch(refuseWith(JOURNAL_FOLDER));
  const last = (await journalFiles(root, entry.feature)).at(-1);
  const path = last?.path ?? `${JOURNAL_FOLDER}/${journalName(entry.feature)}.jsonl`;
  const isWritten = await withJournalFile(root, path, async (file) => {
    const tail = await readTail(file, TAIL_BYTES);
    if (hasEntry(tail, entry.session)) return true;
    if (last !== undefined && last.size >= MAX_BYTES) return false;
    await appendLine(file, tail, visibleJson(entry, 0));
    return true;
  });
  // The full file was searched first: it may hold this line already, from a run that was killed before it marked the session.
  if (!isWritten)
    await withJournalFile(root, nextFile(path, entry.feature), (file) =>
      appendLine(file, '', visibleJson(entry, 0)),
    );
}

const withJournalFile = <T>(root: string, path: string, work: (file: FileHandle) => Promise<T>): Promise<T> =>
  withAppendFile(join(root, path), work).catch(refuseWith(path));

const refuseWith =
  (path: string) =>
  (error: unknown): never => {
    if (!(error instanceof Error) || !('code' in error)) throw error;
    throw new Refusal(`The journal cannot be written (${error.code}); check ${path}.`, { cause: error });
  };

/** A torn line does not count. */
const hasEntry = (tail: string, session: string): boolean =>
  tail
    .split('\n')
    .some(
      (line) => line.includes(`"session":${JSON.stringify(session)}`) && line.endsWith('}') && isJson(line),
    );

function isJson(line: string): boolean {
  try {
    return JSON.parse(line) !== null;
  } catch {
    return false;
  }
}

async function requireFolder(root: string): Promise<void> {
  const folder = join(root, JOURNAL_FOLDER);
  const found = await lstat(folder).catch(() => null);
  if (found === null) await mkdir(folder, { recursive: true });
  else if (!found.isDirectory()) throw new Refusal(`${JOURNAL_FOLDER} is no folder; put one in its place.`);
}

const nextFile = (path: string, feature: string | null): string =>
  `${JOURNAL_FOLDER}/${journalName(feature)}~${fileNumber(basename(path)) + 1}.jsonl`;
