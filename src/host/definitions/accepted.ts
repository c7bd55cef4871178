// While agents that can write in the checkout are at work, Ralph cannot tell who changes a file below `.ralph`. It records the files
// as they were before the first agent, and reads them from the record. A file that differs from it is held: nothing of that counts
// until a person accepts it. What Ralph itself appends is accepted as it is written.
// The record stays after a run whose files differ at its end, and after a killed one.
import { createHash } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type DefinitionChange, isHeldFile, PROGRESS_FILE } from '../../domain/definition.ts';
import { Refusal } from '../../domain/refusal.ts';
import type { AcceptedFiles } from '../../files/accepted-files.ts';
import { removePartialFiles, writeFileWhole } from '../../files/write-file.ts';
import { readOwnFiles } from '../own-files.ts';
import { whileLocked } from '../processes/lock-file.ts';

export type DefinitionPlace = { root: string; stateDir: string };

/** By path, one character a byte: the files need not be text. */
type Recorded = Readonly<Record<string, string>>;

/** A task takes some hundred bytes: enough for a hundred thousand of them. */
const MAX_BYTES = 64 * 1024 * 1024;

/** One for each work tree: all of a repository share the state, and each has its own files. */
const recordFile = ({ root, stateDir }: DefinitionPlace): string =>
  join(stateDir, 'accepted', `${createHash('sha256').update(root).digest('hex').slice(0, 16)}.json`);

/** Before the first agent. Keeps an earlier record: its run may have left changes that no person has seen. */
export const beginHold = (place: DefinitionPlace): Promise<void> =>
  alone(place, async () => {
    if ((await findHeld(place)).length === 0) await writeRecord(place, readCurrent(place));
  });

/**
 * After the last agent: from here on only a person changes the files, unless something is held. `isOver` is asked while nobody can
 * begin a hold: a run has its row in the database before it does.
 */
export const endHold = (place: DefinitionPlace, isOver: () => Promise<boolean>): Promise<void> =>
  alone(place, async () => {
    if ((await isOver()) && (await findHeld(place)).length === 0)
      await rm(recordFile(place), { force: true });
  });

/** Removes what a killed process had written of the record: only the process that holds the lock writes it. */
export const removePartialRecord = (place: DefinitionPlace): Promise<void> =>
  alone(place, () => removePartialFiles(recordFile(place)));

/** What counts of the files below `.ralph`: the record, or what is on the disk while there is none. */
export async function acceptedFiles(place: DefinitionPlace): Promise<AcceptedFiles> {
  const recorded = await readRecord(place);
  if (recorded === null) return null;
  return new Map(Object.entries(recorded).map(([path, bytes]) => [path, Buffer.from(bytes, 'latin1')]));
}

/** What differs from the record; nothing if there is none. */
export async function findHeld(place: DefinitionPlace): Promise<DefinitionChange[]> {
  const recorded = await readRecord(place);
  if (recorded === null) return [];
  const current = readCurrent(place);
  const paths = [...new Set([...Object.keys(recorded), ...Object.keys(current)])].sort();
  return paths.flatMap((path) => {
    const [before, after] = [recorded[path] ?? null, current[path] ?? null];
    const isSame = before === after || (path === PROGRESS_FILE && lacksLastLine(before, after));
    return isSame ? [] : [{ path, before: toText(before), after: toText(after) }];
  });
}

/** Ralph adds a line to the record first, and may be killed before it adds it to the file. */
const lacksLastLine = (recorded: string | null, current: string | null): boolean =>
  recorded !== null &&
  (current ?? '') === recorded.slice(0, recorded.lastIndexOf('\n', recorded.length - 2) + 1);

/** A person accepts these files as they are now. Returns how to take that back. */
export function acceptFiles(place: DefinitionPlace, paths: readonly string[]): Promise<() => Promise<void>> {
  const current = readCurrent(place);
  return changeRecord(place, paths, (path) => current[path] ?? null);
}

/** Ralph itself is about to change a file. `change` returns null to leave it. Returns how to take that back. */
export const acceptChange = (
  place: DefinitionPlace,
  path: string,
  change: (content: Buffer) => Buffer | null,
): Promise<() => Promise<void>> =>
  changeRecord(place, [path], (_, recorded) => {
    const changed = change(Buffer.from(recorded ?? '', 'latin1'));
    return changed === null ? recorded : changed.toString('latin1');
  });

/** Without a record there is nothing to change. */
async function changeRecord(
  place: DefinitionPlace,
  paths: readonly string[],
  change: (path: string, recorded: string | null) => string | null,
): Promise<() => Promise<void>> {
  const before = new Map<string, string | null>();
  await rewrite((path, recorded) => {
    before.set(path, recorded);
    return change(path, recorded);
  });
  return () => rewrite((path) => before.get(path) ?? null);

  function rewrite(next: (path: string, recorded: string | null) => string | null): Promise<void> {
    return alone(place, async () => {
      const recorded = await readRecord(place);
      if (recorded === null) return;
      const files = new Map(Object.entries(recorded));
      for (const path of paths) {
        const content = next(path, files.get(path) ?? null);
        if (content === null) files.delete(path);
        else files.set(path, content);
      }
      await writeRecord(place, Object.fromEntries(files));
    });
  }
}

/** A run appends lines while a person approves files. */
const alone = <T>(place: DefinitionPlace, work: () => Promise<T>): Promise<T> =>
  whileLocked(`${recordFile(place)}.lock`, work);

const toText = (bytes: string | null): string | null =>
  bytes === null ? null : Buffer.from(bytes, 'latin1').toString('utf8');

function readCurrent({ root }: DefinitionPlace): Recorded {
  const files = [...readOwnFiles(root, MAX_BYTES)].filter(([path]) => isHeldFile(path));
  return Object.fromEntries(files.map(([path, content]) => [path, content.toString('latin1')]));
}

async function readRecord(place: DefinitionPlace): Promise<Recorded | null> {
  // Not by readText, which refuses a file that another run replaces meanwhile: each version is whole.
  const text = await readFile(recordFile(place), 'utf8').catch(ifMissing);
  if (text === null) return null;
  try {
    return JSON.parse(text);
  } catch {
    // It is damaged: then no file counts as accepted.
    return {};
  }
}

function ifMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw new Refusal(
    `The record of accepted definitions cannot be read (${error.code}); check the folder of Ralph's state.`,
    { cause: error },
  );
}

const writeRecord = (place: DefinitionPlace, files: Recorded): Promise<void> =>
  writeFileWhole(recordFile(place), `${JSON.stringify(files)}\n`, { mode: 0o600 });
