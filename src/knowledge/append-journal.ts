import { constants } from 'node:fs';
import { type FileHandle, lstat, mkdir, open } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { JournalEntry } from '../domain/journal.ts';
import { Refusal } from '../domain/refusal.ts';
import { journalFiles, journalName, MEMORY, numberOf } from './journal.ts';

/** A file that is larger gets no more lines: the next one is begun. */
const MAX_BYTES = 1024 * 1024;
/** The line of a session that is not marked yet is among the last. */
const LOOKED_BACK = 256 * 1024;

/**
 * One write that ends a line, flushed before anybody is told. After a kill in the middle, the torn line stays for itself: the next
 * one begins on a line of its own.
 */
export async function appendJournal(root: string, entry: JournalEntry): Promise<void> {
  await requireFolder(root);
  const file = await open(join(root, await currentFile(root, entry.feature)), APPEND, 0o666).catch(
    (error) => {
      throw new Refusal(`The journal cannot be written (${error.code}); check ${MEMORY}.`, { cause: error });
    },
  );
  try {
    const tail = await tailOf(file);
    if (tail.includes(`"session":${JSON.stringify(entry.session)}`)) return;
    const start = tail === '' || tail.endsWith('\n') ? '' : '\n';
    await file.write(`${start}${JSON.stringify(entry)}\n`);
    await file.datasync();
  } finally {
    await file.close();
  }
}

/** Never through a link, and never waiting for a pipe. */
const APPEND =
  constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;

async function requireFolder(root: string): Promise<void> {
  const folder = join(root, MEMORY);
  const found = await lstat(folder).catch(() => null);
  if (found === null) await mkdir(folder, { recursive: true });
  else if (!found.isDirectory()) throw new Refusal(`${MEMORY} is no folder; put one in its place.`);
}

async function currentFile(root: string, feature: string | null): Promise<string> {
  const last = (await journalFiles(root, feature)).at(-1);
  if (last === undefined) return `${MEMORY}/${journalName(feature)}.jsonl`;
  return last.size < MAX_BYTES
    ? last.path
    : `${MEMORY}/${journalName(feature)}~${numberOf(basename(last.path)) + 1}.jsonl`;
}

async function tailOf(file: FileHandle): Promise<string> {
  const { size } = await file.stat();
  const length = Math.min(size, LOOKED_BACK);
  const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length);
  return buffer.toString('utf8');
}
