// Restores a removed database file from a connection that still has it open, while no process can write to the removed file.
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

const MAX_TRIES = 20;

type RemovedDatabase = Pick<Connection, 'sqlite' | 'files'>;

/**
 * Call this inside the write transaction of the removed database, after marking it as moved with this token. Then the copy holds
 * every acknowledged write, and later writes to the removed file are refused. Returns once the successor is on disk.
 */
export function restoreAt(path: string, removed: RemovedDatabase, token: string): void {
  makeFolder(dirname(path));
  requireNoLinks(path);
  const partial = `${path}.${crypto.randomUUID()}.part`;
  try {
    writeImage(partial, removed.sqlite, token);
    for (let tries = 1; tries <= MAX_TRIES; tries++) {
      if (inodeAt(path) !== removed.files.main && isSuccessor(path, token)) return;
      clearWay(path, removed, token, () => occupied(path, partial, token));
      removeLeftLog(path);
      if (!linkUnlessTaken(partial, path)) continue;
      syncFolder(dirname(path));
      return;
    }
    throw new Unusable(
      `Ralph could not restore the database ${path}: other processes kept creating new ones; start Ralph again.`,
    );
  } finally {
    rmSync(partial, { force: true });
  }
}

/** A link could lead the content to a place that an agent or another process chose. */
function requireNoLinks(path: string): void {
  for (const one of [path, dirname(path)])
    if (lstatSync(one, { throwIfNoEntry: false })?.isSymbolicLink())
      throw new Unusable(
        `The database ${path} was removed while in use, and ${one} is a link; remove the link.`,
      );
}

/** Whether the database at the path was restored from the one with this token. */
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

/** Removes a database whose whole content the successor holds; its connections then find the successor. */
function clearWay(path: string, removed: RemovedDatabase, token: string, occupied: () => Unusable): void {
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
    // Removes the database first: a process that opened it earlier holds its log and locks, and waits for this one.
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

/** Only the log was removed. A process that opened the database since then may have written to a new log. */
function clearOwn(path: string, { files }: RemovedDatabase, occupied: () => Unusable): void {
  const isOwn = (inode: bigint | null, own: bigint | null): boolean => inode === null || inode === own;
  if (!isOwn(inodeAt(logPath(path)), files.log) || !isOwn(inodeAt(indexPath(path)), files.index))
    throw occupied();
  rmSync(path);
}

function isReplaceable(database: Sqlite, earlier: readonly string[]): boolean {
  if (!isRalphs(database)) return database.prepare('select count(*) from sqlite_schema').pluck().get() === 0;
  const token = movedTo(database);
  if (token !== null && earlier.includes(token)) return true;
  return ['tasks', 'sessions', 'feature_comments'].every(
    (table) => database.prepare(`select exists (select 1 from ${table})`).pluck().get() === 0,
  );
}

const isRalphs = (database: Sqlite): boolean =>
  database.prepare("select count(*) from sqlite_schema where name = 'metadata'").pluck().get() === 1;

/** No content is lost: the copy stays beside the path under another name. */
function occupied(path: string, partial: string, token: string): Unusable {
  const beside = `${path}.${token.slice(0, 8)}.rescued`;
  renameSync(partial, beside);
  return new Unusable(
    `The database ${path} was removed while in use, and another one with its own content is in its place. Ralph saved the removed content as ${beside}. Stop every Ralph process, then keep the one you want as ${path}.`,
  );
}

/** SQLite would apply the log of the removed database to the new one. */
function removeLeftLog(path: string): void {
  const [log, index] = [inodeAt(logPath(path)), inodeAt(indexPath(path))];
  // The inodes are read first: a database that appears meanwhile keeps its own log.
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
