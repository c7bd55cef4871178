// Reads the journal: one JSON object a line. A bad line becomes a problem, and the other lines are read.
import { createHash } from 'node:crypto';
import { lstat, readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { JOURNAL_VERSION, type JournalEntry } from '../../domain/journal/journal.ts';
import { Refusal } from '../../domain/refusal.ts';
import { journalSchema } from './schema.ts';

export const JOURNAL_FOLDER = '.ralph/memory';

type LocatedEntry = { entry: JournalEntry; at: string };
export type Journal = { entries: LocatedEntry[]; problems: string[] };

const MAX_NAME_BYTES = 200;

/** A feature's name is safe in a path except for its length. `_` holds tasks without a feature: no feature has that name. */
export function journalName(feature: string | null): string {
  if (feature === null || Buffer.byteLength(feature) <= MAX_NAME_BYTES) return feature ?? '_';
  return `${feature.slice(0, 40)}=${createHash('sha256').update(feature).digest('hex').slice(0, 16)}`;
}

type JournalFile = { path: string; size: number; modified: number; read(): Promise<string> };

/** The files of one feature, or of all features; those of a feature oldest first. */
export async function journalFiles(root: string, feature?: string | null): Promise<JournalFile[]> {
  const files = await listFiles(join(root, JOURNAL_FOLDER), JOURNAL_FOLDER);
  return feature === undefined
    ? files
    : files.filter(({ path }) => featurePart(basename(path)) === journalName(feature));
}

/** Follows no link: its target is not a journal of this project. */
async function listFiles(folder: string, shown: string): Promise<JournalFile[]> {
  if (!(await lstat(folder).catch(() => null))?.isDirectory()) return [];
  const names = (await readdir(folder)).filter((name) => name.endsWith('.jsonl'));
  const found = await Promise.all(
    names.sort(compareNames).map(async (name) => {
      const [path, full] = [shown === '' ? name : `${shown}/${name}`, join(folder, name)];
      const info = await lstat(full).catch(() => null);
      if (info === null || !info.isFile()) return [];
      const read = (): Promise<string> => readBounded(full, info.size);
      return [{ path, size: info.size, modified: info.mtimeMs, read }];
    }),
  );
  return found.flat();
}

/** Far larger than any file that Ralph writes. */
const MAX_BYTES = 64 * 1024 * 1024;

async function readBounded(full: string, size: number): Promise<string> {
  if (size > MAX_BYTES) throw new Refusal(`${full} is larger than any journal; move it away.`);
  return readFile(full, 'utf8');
}

/** `auth.jsonl`, then `auth~2.jsonl`, and so on, so that no file grows without bound. No feature has a `~` in its name. */
const NAME = /^(.+?)(?:~(\d+))?\.jsonl$/;
const featurePart = (name: string): string => NAME.exec(name)?.[1] ?? '';
export const fileNumber = (name: string): number => Number(NAME.exec(name)?.[2] ?? 1);

const compareNames = (one: string, other: string): number =>
  featurePart(one) === featurePart(other)
    ? fileNumber(one) - fileNumber(other)
    : featurePart(one) < featurePart(other)
      ? -1
      : 1;

export const readJournal = async (root: string, feature?: string | null): Promise<Journal> =>
  readFiles(await journalFiles(root, feature), feature);

/** Reads a folder or a file anywhere; null if it is no journal. */
export async function readJournalAt(path: string): Promise<Journal | null> {
  const isFolder = (await lstat(path)).isDirectory();
  const files = isFolder
    ? await listFiles(path, '')
    : (await listFiles(dirname(path), '')).filter((file) => file.path === basename(path));
  if (files.length === 0) return null;
  const journal = await readFiles(files);
  // A single file of bad lines is probably another tool's; a folder of them is a damaged journal.
  return isFolder || journal.entries.length > 0 ? journal : null;
}

async function readFiles(
  files: readonly Pick<JournalFile, 'path' | 'read'>[],
  feature?: string | null,
): Promise<Journal> {
  const journal: Journal = { entries: [], problems: [] };
  for (const { path, read } of files) {
    const { entries, problems } = parseJournal(path, await read());
    // On a case-insensitive disk, the features Auth and auth share a file.
    journal.entries.push(
      ...entries.filter(({ entry }) => feature === undefined || entry.feature === feature),
    );
    journal.problems.push(...problems);
  }
  return withoutDuplicates(journal);
}

export function parseJournal(path: string, text: string): Journal {
  const journal: Journal = { entries: [], problems: [] };
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const at = `${path}:${index + 1}`;
    const parsed = parseLine(line);
    if (typeof parsed === 'string') journal.problems.push(`${at}: ${parsed}`);
    else journal.entries.push({ entry: parsed, at });
  }
  return withoutDuplicates(journal);
}

/** A session has one line. A run that was killed between writing it and marking the session writes a second one. */
function withoutDuplicates({ entries, problems }: Journal): Journal {
  const first = new Map<string, string>();
  const duplicates: string[] = [];
  const unique = entries.filter(({ entry, at }) => {
    const earlier = first.get(entry.session);
    if (earlier === undefined) first.set(entry.session, at);
    else
      duplicates.push(
        `${at}: the session ${entry.session} has a line already, ${earlier}; this one is left out`,
      );
    return earlier === undefined;
  });
  return { entries: unique, problems: [...problems, ...duplicates] };
}

function parseLine(line: string): JournalEntry | string {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return 'is not a whole line of JSON; it is left out';
  }
  const version = typeof value === 'object' && value !== null && 'v' in value ? value.v : undefined;
  if (version !== JOURNAL_VERSION)
    return `has version ${JSON.stringify(version) ?? 'none'}, this Ralph knows ${JOURNAL_VERSION}; it is left out`;
  const result = journalSchema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  return `${issue?.path.join('.') || 'the line'} ${issue?.message ?? 'is wrong'}; it is left out`;
}

/** The number of lines; each is a session. */
export async function countJournal(root: string): Promise<number> {
  let lines = 0;
  for (const { read } of await journalFiles(root))
    lines += (await read()).split('\n').filter((line) => line.trim() !== '').length;
  return lines;
}
