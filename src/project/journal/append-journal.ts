import { constants } from 'node:fs';
import { type FileHandle, lstat, mkdir, open } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { JournalEntry } from '../../domain/journal/journal.ts';
import { Refusal } from '../../domain/refusal.ts';
import { visibleJson } from '../../domain/text/text.ts';
import { fileNumber, JOURNAL_FOLDER, journalFiles, journalName } from './journal.ts';

/** A file that is larger gets no more lines: the next one is begun. */
const MAX_BYTES = 1024 * 1024;
/** The line of a session that is not marked yet is among the last. */
const TAIL_BYTES = 256 * 1024;

/**
 * A line that is whole and flushed before anybody is told. After a kill in the middle, the torn line stays for itself: the next
 * one begins on a line of its own.
 */
export async function appendJournal(root: string, entry: JournalEntry): Promise<void> {
  await requireFolder(root).catch(refuseWith(JOURNAL_FOLDER));
  const last = (await journalFiles(root, entry.feature)).at(-1);
  const path = last?.path ?? `${JOURNAL_FOLDER}/${journalName(entry.feature)}.jsonl`;
  const isWritten = await withJournalFile(root, path, async (file) => {
    const tail = await readTail(file);
    if (hasEntry(tail, entry.session)) return true;
    if (last !== undefined && last.size >= MAX_BYTES) return false;
    await write(file, tail, entry);
    return true;
  });
  // Looked for in the full file first: it may end with the line of a session that nobody could mark any more.
  if (!isWritten)
    await withJournalFile(root, nextFile(path, entry.feature), (file) => write(file, '', entry));
}

async function withJournalFile<T>(
  root: string,
  path: string,
  work: (file: FileHandle) => Promise<T>,
): Promise<T> {
  const file = await open(join(root, path), APPEND, 0o666).catch(refuseWith(path));
  try {
    return await work(file).catch(refuseWith(path));
  } finally {
    await file.close();
  }
}

const refuseWith =
  (path: string) =>
  (error: unknown): never => {
    if (!(error instanceof Error) || !('code' in error)) throw error;
    throw new Refusal(`The journal cannot be written (${error.code}); check ${path}.`, { cause: error });
  };

/** Not by a single write: a disk that fills up takes a part of it and says nothing. */
async function write(file: FileHandle, tail: string, entry: JournalEntry): Promise<void> {
  const start = tail === '' || tail.endsWith('\n') ? '' : '\n';
  await file.appendFile(`${start}${visibleJson(entry, 0)}\n`);
  await file.datasync();
}

/** A torn line of the session is none. */
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

/** Never through a link, and never waiting for a pipe. */
const APPEND =
  constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;

async function requireFolder(root: string): Promise<void> {
  const folder = join(root, JOURNAL_FOLDER);
  const found = await lstat(folder).catch(() => null);
  if (found === null) await mkdir(folder, { recursive: true });
  else if (!found.isDirectory()) throw new Refusal(`${JOURNAL_FOLDER} is no folder; put one in its place.`);
}

const nextFile = (path: string, feature: string | null): string =>
  `${JOURNAL_FOLDER}/${journalName(feature)}~${fileNumber(basename(path)) + 1}.jsonl`;

async function readTail(file: FileHandle): Promise<string> {
  const { size } = await file.stat();
  const length = Math.min(size, TAIL_BYTES);
  const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length);
  return buffer.toString('utf8');
}
