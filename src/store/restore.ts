// Puts the content of a connection whose file was removed back at its path, while nobody can write to the removed file.
import {
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { Unusable } from '../domain/refusal.ts';
import type { Connection } from './connect.ts';
import { linkUnlessTaken, makeFolder } from './create.ts';
import { indexPath, inodeAt, logPath, PRIVATE_FILE } from './database-files.ts';
import { isNoDatabase, openPlain, type Sqlite } from './sqlite.ts';
import { markMoved, markRestored, movedTo, restoredFrom } from './succession.ts';

const MOST_TRIES = 20;

export type Removed = Pick<Connection, 'sqlite' | 'files'>;

/**
 * To be called inside the write transaction of the removed database, which is marked as moved with this token already. All that it
 * ever acknowledged is in the copy then, and whoever writes to it later is refused. Answers when the successor is on disk.
 */
export function restoreAt(path: string, removed: Removed, token: string): void {
  makeFolder(dirname(path));
  requireNoLinks(path);
  const partial = `${path}.${crypto.randomUUID()}.part`;
  try {
    writeImage(partial, removed.sqlite, token);
    for (let tries = 1; tries <= MOST_TRIES; tries++) {
      if (inodeAt(path) !== removed.files.main && isSuccessor(path, token)) return;
      clearWay(path, removed, token, () => occupied(path, partial, token));
      removeLeftLog(path);
      if (!linkUnlessTaken(partial, path)) continue;
      syncFolder(dirname(path));
      return;
    }
    throw new Unusable(
      `The database ${path} could not be put back: others made new ones; start Ralph again.`,
    );
  } finally {
    rmSync(partial, { force: true });
  }
}

/** Through a link the content would end up in a place that somebody else chose. */
function requireNoLinks(path: string): void {
  for (const one of [path, dirname(path)])
    if (lstatSync(one, { throwIfNoEntry: false })?.isSymbolicLink())
      throw new Unusable(
        `The database ${path} was removed while in use, and ${one} is a link; remove the link.`,
      );
}

/** Whether the database at the path holds all that the one with this token held. */
export function isSuccessor(path: string, token: string): boolean {
  let found: Sqlite | undefined;
  try {
    found = openPlain(path);
    return isRalphs(found) && restoredFrom(found).includes(token);
  } catch (error) {
    if (existsSync(path) && !isNoDatabase(error)) throw error;
    return false;
  } finally {
    found?.close();
  }
}

function writeImage(partial: string, removed: Sqlite, token: string): void {
  const file = openSync(partial, 'wx', PRIVATE_FILE);
  try {
    const image = removed.serialize();
    for (let written = 0; written < image.length; ) written += writeSync(file, image, written);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  const copy = openPlain(partial);
  try {
    copy.transaction(() => markRestored(copy, token)).immediate();
  } finally {
    copy.close();
  }
}

/** What the successor holds all of is taken out of its way; connections to it find the successor. */
function clearWay(path: string, removed: Removed, token: string, occupied: () => Unusable): void {
  const before = inodeAt(path);
  if (before === null) return;
  if (before === removed.files.main) {
    clearOwn(path, removed, occupied);
    return;
  }
  let found: Sqlite | undefined;
  try {
    found = openPlain(path);
    found.exec('begin immediate');
    if (inodeAt(path) !== before) return;
    if (!isReplaceable(found, restoredFrom(removed.sqlite))) throw occupied();
    const [log, index] = [inodeAt(logPath(path)), inodeAt(indexPath(path))];
    if (isRalphs(found)) markMoved(found, token);
    // The database first: a process that opened it before has its log and its locks, and waits for this one.
    rmSync(path);
    removeIf(logPath(path), log);
    removeIf(indexPath(path), index);
    found.exec('commit');
  } catch (error) {
    throw isNoDatabase(error) ? occupied() : error;
  } finally {
    found?.close();
  }
}

/** Only its log was removed. A process that opened it since has made a new one, and may have written to that. */
function clearOwn(path: string, { files }: Removed, occupied: () => Unusable): void {
  const isOwn = (inode: bigint | null, own: bigint | null): boolean => inode === null || inode === own;
  if (!isOwn(inodeAt(logPath(path)), files.log) || !isOwn(inodeAt(indexPath(path)), files.index))
    throw occupied();
  rmSync(path);
}

function isReplaceable(found: Sqlite, earlier: readonly string[]): boolean {
  if (!isRalphs(found)) return found.prepare('select count(*) from sqlite_schema').pluck().get() === 0;
  const token = movedTo(found);
  if (token !== null && earlier.includes(token)) return true;
  return ['tasks', 'sessions', 'feature_comments'].every(
    (table) => found.prepare(`select exists (select 1 from ${table})`).pluck().get() === 0,
  );
}

const isRalphs = (found: Sqlite): boolean =>
  found.prepare("select count(*) from sqlite_schema where name = 'metadata'").pluck().get() === 1;

/** Nothing is lost: what could not be put in its place lies beside it. */
function occupied(path: string, partial: string, token: string): Unusable {
  const beside = `${path}.${token.slice(0, 8)}.rescued`;
  renameSync(partial, beside);
  return new Unusable(
    `The database ${path} was removed while in use, and another one with content of its own is in its place; what the removed one held is in ${beside}. End all of Ralph and keep the one you want as ${path}.`,
  );
}

/** SQLite would apply the log of another database to the new one. */
function removeLeftLog(path: string): void {
  const [log, index] = [inodeAt(logPath(path)), inodeAt(indexPath(path))];
  // Looked at first: a database that came since has a log of its own, and keeps it.
  if (existsSync(path)) return;
  removeIf(logPath(path), log);
  removeIf(indexPath(path), index);
}

function removeIf(path: string, inode: bigint | null): void {
  if (inode !== null && inodeAt(path) === inode) rmSync(path, { force: true });
}

function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
