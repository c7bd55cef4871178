import { renameSync } from 'node:fs';
import { Refusal } from '../domain/refusal.ts';
import { isForeign, readVersion, retryBusy, type Sqlite, writeVersion } from './sqlite.ts';

/** Brings the file to the newest version, after a backup copy where it held anything. */
export async function migrate(sqlite: Sqlite, path: string, migrations: readonly string[]): Promise<void> {
  const version = readVersion(sqlite);
  if (version === migrations.length && !isForeign(sqlite)) return;
  if (isForeign(sqlite)) {
    throw new Refusal(`${path} is a database, but not one of Ralph's; move it away and start again.`);
  }
  if (version > migrations.length) {
    throw new Refusal(
      `The database ${path} has version ${version}, this Ralph knows ${migrations.length}; install a newer ralph-mcp.`,
    );
  }
  if (version > 0) await backUp(sqlite, `${path}.v${version}.bak`);
  await retryBusy(async () => sqlite.transaction(() => applyMissing(sqlite, migrations)).immediate());
}

function applyMissing(sqlite: Sqlite, migrations: readonly string[]): void {
  // Read again inside the lock: another process may have migrated meanwhile.
  for (const sql of migrations.slice(readVersion(sqlite))) sqlite.exec(sql);
  writeVersion(sqlite, migrations.length);
}

/** Renamed into place, so that a copy with the final name is always a whole one. */
async function backUp(sqlite: Sqlite, target: string): Promise<void> {
  const partial = `${target}.${process.pid}.part`;
  await sqlite.backup(partial);
  renameSync(partial, target);
}
