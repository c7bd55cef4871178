// While agents that can write in the checkout are at work, Ralph cannot tell who changes a file below `.ralph`. It records the files
// as they were before the first agent. A file that differs from the record is held: nothing of it counts until a person accepts it.
// The record stays after a run whose files differ at its end, and after a killed one.
import { createHash } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type DefinitionChange, isPersonsDefinition } from '../../domain/definition-change.ts';
import { Refusal } from '../../domain/refusal.ts';
import { writeFileWhole } from '../../files/write-file.ts';
import { readOwnFiles } from '../own-files.ts';

export type DefinitionPlace = { root: string; stateDir: string };

/** By path, one character a byte: the files need not be text. */
type Recorded = Readonly<Record<string, string>>;

/** A task takes some hundred bytes: enough for a hundred thousand of them. */
const MAX_BYTES = 64 * 1024 * 1024;

/** One for each work tree: all of a repository share the state, and each has its own files. */
const recordFile = ({ root, stateDir }: DefinitionPlace): string =>
  join(stateDir, 'accepted', `${createHash('sha256').update(root).digest('hex').slice(0, 16)}.json`);

/** Before the first agent. Keeps an earlier record: its run may have left changes that no person has seen. */
export async function beginHold(place: DefinitionPlace): Promise<void> {
  if ((await findHeld(place)).length === 0) await writeRecord(place, readCurrent(place));
}

/** After the last agent: from here on only a person changes the files, unless something is held. */
export async function endHold(place: DefinitionPlace): Promise<void> {
  if ((await findHeld(place)).length === 0) await rm(recordFile(place), { force: true });
}

/** What differs from the record; nothing if there is none. */
export async function findHeld(place: DefinitionPlace): Promise<DefinitionChange[]> {
  const recorded = await readRecord(place);
  if (recorded === null) return [];
  const current = readCurrent(place);
  const paths = [...new Set([...Object.keys(recorded), ...Object.keys(current)])].sort();
  return paths.flatMap((path) => {
    const [before, after] = [recorded[path] ?? null, current[path] ?? null];
    return before === after ? [] : [{ path, before: toText(before), after: toText(after) }];
  });
}

/** A person accepts these files as they are now. Returns how to take that back. */
export async function acceptFiles(
  place: DefinitionPlace,
  paths: readonly string[],
): Promise<() => Promise<void>> {
  const recorded = await readRecord(place);
  if (recorded === null) return async () => {};
  const current = readCurrent(place);
  const next = new Map(Object.entries(recorded));
  for (const path of paths) {
    const content = current[path];
    if (content === undefined) next.delete(path);
    else next.set(path, content);
  }
  await writeRecord(place, Object.fromEntries(next));
  return () => writeRecord(place, recorded);
}

const toText = (bytes: string | null): string | null =>
  bytes === null ? null : Buffer.from(bytes, 'latin1').toString('utf8');

function readCurrent({ root }: DefinitionPlace): Recorded {
  const files = [...readOwnFiles(root, MAX_BYTES)].filter(([path]) => isPersonsDefinition(path));
  return Object.fromEntries(files.map(([path, content]) => [path, content.toString('latin1')]));
}

async function readRecord(place: DefinitionPlace): Promise<Recorded | null> {
  // Not by readText, which refuses a file that another run replaces meanwhile: each version is whole.
  const text = await readFile(recordFile(place), 'utf8').catch(ifMissing);
  if (text === null) return null;
  try {
    return JSON.parse(text);
  } catch {
    // Somebody damaged it: then no file counts as accepted.
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
