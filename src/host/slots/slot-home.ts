// The home folder that gates have in one slot: a copy of the run's, and what the setup of the slot made there.
import { chmodSync, copyFileSync, lstatSync, mkdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { pathBytes, rawPath } from '../git/raw-path.ts';
import type { Environment } from '../processes/spawn.ts';
import { type FileRecords, isSameFile, recordFiles, removeFiles, withContents } from './file-records.ts';
import { removeFolder } from './fill-slot.ts';
import type { Slot } from './slot.ts';

/** `from`: the record of the run's file that it is a copy of; null if the setup made it. */
export type HomeRecord = { own: string; from: string | null };
type HomeRecords = Map<string, HomeRecord>;

const slotHome = ({ folder }: Pick<Slot, 'folder'>): string => join(folder, 'home');

/** The environment of the run, with the home of this slot instead of the run's. */
export function homeEnvironment(slot: Slot, env: Environment): Environment {
  const [from, to] = [slot.runHome, slotHome(slot)];
  if (from === null || env['HOME'] !== from) return env;
  const moved = (paths: string): string =>
    paths
      .split(delimiter)
      .map((path) => movedPath(path, from, to))
      .join(delimiter);
  const changed = Object.entries(env).flatMap(([name, value]) =>
    value?.includes(from) === true ? [[name, moved(value)]] : [],
  );
  return { ...env, ...Object.fromEntries(changed) };
}

const movedPath = (path: string, from: string, to: string): string =>
  path === from || path.startsWith(`${from}/`) ? `${to}${path.slice(from.length)}` : path;

/**
 * Removes what gates left, and puts back what they changed of the person's files. Null if they changed what the setup made: then
 * it has to run again.
 */
export async function restoreHome(
  slot: Slot,
  before: HomeRecords,
  isKept: (path: string) => boolean,
): Promise<{ records: HomeRecords; isChanged: boolean } | null> {
  const home = slotHome(slot);
  const persons = await personsFiles(slot);
  const now = await recordFiles(home, ['']);
  const isStale = (path: string): boolean => {
    const record = before.get(path);
    return record === undefined ? !isKept(path) : record.from !== null && !persons.has(path);
  };
  const stale = [...now.keys()].filter(isStale);
  removeFiles(home, stale);
  const lost: string[] = [];
  for (const [path, { own, from }] of before)
    if (!isKept(path) && !(await isSameFile(home, path, own, now.get(path)))) {
      if (from === null) return null;
      lost.push(path);
    }
  const missing = new Set(lost);
  const laid = [...persons.keys()]
    .filter((path) => missing.has(path) || before.get(path)?.from !== persons.get(path))
    .sort();
  for (const path of laid) layFile(slot, path);
  if (stale.length === 0 && laid.length === 0) return { records: before, isChanged: false };
  const after = await recordFiles(home, ['']);
  const records: HomeRecords = new Map();
  for (const [path, record] of after)
    if (before.has(path) || persons.has(path))
      records.set(path, {
        own: missing.has(path) || persons.has(path) ? record : (before.get(path)?.own ?? record),
        from: persons.get(path) ?? null,
      });
  return { records, isChanged: true };
}

/** A home as it is before the setup. */
export async function layHome(slot: Slot): Promise<void> {
  await removeFolder(slotHome(slot));
  for (const path of [...(await personsFiles(slot)).keys()].sort()) layFile(slot, path);
}

export async function recordHome(slot: Slot): Promise<HomeRecords> {
  const persons = await personsFiles(slot);
  const own: FileRecords = await withContents(slotHome(slot), await recordFiles(slotHome(slot), ['']));
  return new Map([...own].map(([path, record]) => [path, { own: record, from: persons.get(path) ?? null }]));
}

/** Removes the copies of the person's files. */
export function clearHome(slot: Slot, records: HomeRecords): void {
  removeFiles(
    slotHome(slot),
    [...records].flatMap(([path, { from }]) => (from === null ? [] : [path])),
  );
}

const personsFiles = async ({ runHome }: Slot): Promise<FileRecords> =>
  runHome === null ? new Map() : recordFiles(runHome, ['']);

/** What a gate made under this name makes way. */
function layFile(slot: Slot, path: string): void {
  const { runHome } = slot;
  if (runHome === null) return;
  const inHome = (root: string): Buffer => pathBytes(`${rawPath(root)}/${path}`);
  const [from, to] = [inHome(runHome), inHome(slotHome(slot))];
  mkdirSync(slotHome(slot), { recursive: true, mode: 0o700 });
  const found = lstatSync(from);
  const isThere = found.isDirectory() && lstatSync(to, { throwIfNoEntry: false })?.isDirectory() === true;
  // A Buffer is removed with its content only as text.
  if (!isThere) rmSync(to.toString(), { recursive: true, force: true });
  if (found.isSymbolicLink()) symlinkSync(movedPath(readlinkSync(from, 'utf8'), runHome, slotHome(slot)), to);
  else if (!found.isDirectory()) copyFileSync(from, to);
  else if (!isThere) mkdirSync(to);
  if (!found.isSymbolicLink()) chmodSync(to, found.mode & 0o7777);
}
