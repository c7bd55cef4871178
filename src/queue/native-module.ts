// Whether SQLite can be loaded at all: what every command needs before there is a queue.
import { needsOldAddon, oldAddonFolder, openBetterSqlite } from '../store/better-sqlite.ts';
import { explainSqlite } from '../store/sqlite.ts';

/** The version of SQLite, once it has opened a database in memory; refuses with the repair. */
export function loadSqlite(): string {
  try {
    const sqlite = openBetterSqlite(':memory:');
    const version: unknown = sqlite.prepare('select sqlite_version()').pluck().get();
    sqlite.close();
    return `SQLite ${version}`;
  } catch (error) {
    throw explainSqlite(error, ':memory:');
  }
}

/** Where the SQLite of this Node has to be installed; null if the package holds it. */
export const installFolder = (): string | null => (needsOldAddon ? oldAddonFolder() : null);
