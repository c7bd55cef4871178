import { chmodSync, renameSync } from 'node:fs';
import { Refusal } from '../domain/refusal.ts';
import { PRIVATE_FILE } from './database-files.ts';
import { indexedText } from './learnings/learning-index.ts';
import { type Migration, sqliteText } from './migrations/migration.ts';
import { digestFields } from './sessions/evidence-hash.ts';
import { isForeign, readVersion, retryBusy, type Sqlite, writeVersion } from './sqlite.ts';

/** Brings the file to the newest version. A file with content is backed up first. */
export async function migrate(sqlite: Sqlite, path: string, migrations: readonly Migration[]): Promise<void> {
  const version = readVersion(sqlite);
  if (version === migrations.length && !isForeign(sqlite)) return;
  if (isForeign(sqlite)) {
    throw new Refusal(`${path} is a database, but not one of Ralph's; move it away and start again.`);
  }
  requireNotNewer(version, path, migrations);
  if (version > 0) await backUp(sqlite, `${path}.v${version}.bak`);
  // SQLite changes a constraint by rebuilding the table, so this is off meanwhile. `applyMissing` checks it before the commit.
  sqlite.pragma('foreign_keys = off');
  await retryBusy(async () => sqlite.transaction(() => applyMissing(sqlite, path, migrations)).immediate());
  sqlite.pragma('foreign_keys = on');
}

export function applyMissing(sqlite: Sqlite, path: string, migrations: readonly Migration[]): void {
  // Read again inside the lock: another process may have migrated meanwhile, and further than this one can.
  const version = readVersion(sqlite);
  requireNotNewer(version, path, migrations);
  for (const [name, write] of Object.entries(FUNCTIONS))
    sqlite.function(name, { deterministic: true, varargs: true }, write);
  for (const migration of migrations.slice(version)) sqlite.exec(sqliteText(migration));
  if (sqlite.prepare('pragma foreign_key_check').all().length > 0)
    throw new Error('a migration left rows that refer to nothing');
  writeVersion(sqlite, migrations.length);
}

/** The SQL functions with which migrations fill indexes and hashes. */
const FUNCTIONS: Readonly<Record<string, (...values: unknown[]) => string | null>> = {
  indexed_text: (...learning) => indexText(learning, true),
  unproven_text: (...learning) => indexText(learning, false),
  receipt_digest: (...fields) => digestFields(fields),
  evidence_hash: (...fields) => digestFields(fields),
};

const indexText = ([feature, scope, body, reason]: readonly unknown[], isProven: boolean): string | null =>
  indexedText({
    feature: feature === null ? null : String(feature),
    scope: scope === 'project' ? 'project' : 'feature',
    body: String(body),
    reason: reason === null ? null : String(reason),
    archived: null,
    proven: isProven ? 0 : null,
  });

function requireNotNewer(version: number, path: string, migrations: readonly Migration[]): void {
  if (version <= migrations.length) return;
  throw new Refusal(
    `The database ${path} has version ${version}, this Ralph supports ${migrations.length}; install a newer ralph-mcp.`,
  );
}

/** Renames the copy into place, so that a file with the final name is always complete. */
export async function backUp(sqlite: Sqlite, target: string): Promise<void> {
  const partial = `${target}.${process.pid}.part`;
  await sqlite.backup(partial);
  chmodSync(partial, PRIVATE_FILE);
  renameSync(partial, target);
}
