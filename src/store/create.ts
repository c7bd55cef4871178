import { closeSync, existsSync, linkSync, mkdirSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { Refusal } from '../domain/refusal.ts';
import { logPath, PRIVATE_FILE, PRIVATE_FOLDER } from './database-files.ts';
import { migrate } from './migrate.ts';
import type { Migration } from './migrations/migration.ts';
import { openSqlite } from './sqlite.ts';

/**
 * Creates the file beside the path and links it into place. So no process opens a half-made database, and none is overwritten.
 * If another process was faster, its database stays.
 */
export async function createDatabase(path: string, migrations: readonly Migration[]): Promise<void> {
  makeFolder(dirname(path));
  // SQLite would apply the old log to the new database.
  if (existsSync(logPath(path)) && !existsSync(path))
    throw new Refusal(
      `The database ${path} is missing, but its log ${logPath(path)} exists; restore the database, or remove the log to start with an empty queue.`,
    );
  const partial = `${path}.${crypto.randomUUID()}.part`;
  try {
    closeSync(openSync(partial, 'wx', PRIVATE_FILE));
    const sqlite = await openSqlite(partial, () => null);
    try {
      await migrate(sqlite, partial, migrations);
    } finally {
      sqlite.close();
    }
    linkUnlessTaken(partial, path);
  } finally {
    rmSync(partial, { force: true });
  }
}

/** False if the path is taken. */
export function linkUnlessTaken(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return false;
    // Some file systems have no links. There, two processes at the same instant may overwrite each other.
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(code) || existsSync(to)) throw error;
    renameSync(from, to);
    return true;
  }
}

export function makeFolder(folder: string): void {
  try {
    // The parents get default permissions: the git directory keeps those that git gives it.
    mkdirSync(dirname(folder), { recursive: true });
    mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER });
  } catch (error) {
    throw new Refusal(`The state folder ${folder} cannot be created; check that its parent is writable.`, {
      cause: error,
    });
  }
}
