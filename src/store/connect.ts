// One connection to the database file at a path, and the check that the path still leads to that file.
import { rmSync } from 'node:fs';
import { Kysely } from 'kysely';
import type { Channel } from '../domain/event.ts';
import { Refusal, Unusable } from '../domain/refusal.ts';
import type { Mask } from '../domain/secrets/mask-secrets.ts';
import { createDatabase, linkUnlessTaken } from './create.ts';
import type { Database } from './database.ts';
import { type FileIdentity, identifyFiles, inodeAt, isAt, logPath } from './database-files.ts';
import { migrate } from './migrate.ts';
import type { Migration } from './migrations/migration.ts';
import {
  createTransact,
  openSqlite,
  RalphSqliteDialect,
  retryBusy,
  type Sqlite,
  type Transact,
} from './sqlite.ts';
import { clearMoved, createMetadataReader, createMovedReader, MOVED_KEY, movedTo } from './succession.ts';

export type Connection = {
  readonly sqlite: Sqlite;
  readonly db: Kysely<Database>;
  readonly transact: Transact;
  readonly files: FileIdentity;
  /** The channel of the events that are written from here on. Only a write transaction may set it. */
  writeVia(channel: Channel | null): void;
  /** Whether the path still leads to the files that this connection has open. */
  isAtPath(): boolean;
  /** The token of the successor database; null while this database is current. */
  movedTo(): string | null;
  /** The database that the queue was copied to; null while this one is in use. */
  newPlace(): string | null;
  close(): Promise<void>;
};

export type ConnectOptions = {
  via: Channel | null;
  mask: Mask;
  migrations: readonly Migration[];
  mayCreate: boolean;
};

/** Another process replaces the database within milliseconds, and only once. */
const MAX_TRIES = 20;
const REPLACED_WITHIN_MS = 3_000;
const POLL_EVERY_MS = 25;

export async function connect(path: string, options: ConnectOptions): Promise<Connection> {
  for (let tries = 1; tries <= MAX_TRIES; tries++) {
    if (inodeAt(path) === null) await createOrRefuse(path, options);
    const connection = await connectOnce(path, options);
    if (connection !== null) return connection;
  }
  throw new Unusable(
    `The database ${path} kept being replaced by other processes while Ralph opened it; try again.`,
  );
}

/** Null if any of the files was removed or replaced meanwhile: the connection may mix one file's content with another file's log. */
async function connectOnce(path: string, options: ConnectOptions): Promise<Connection | null> {
  const held = await holdFiles(path);
  if (held === null) return null;
  const { files, release } = held;
  try {
    const events = { via: options.via };
    const sqlite = await openMigrated(path, options, files, () => events.via);
    if (sqlite === null) return null;
    if (isAt(path, files))
      return {
        ...createConnection(sqlite, path, files, options.mask),
        writeVia: (channel) => {
          events.via = channel;
        },
      };
    closeKeepingLog(sqlite, path, files);
    return null;
  } finally {
    release();
  }
}

/**
 * The files as they are before the connection opens them. Looked at only afterwards, a log could be another one than SQLite has open,
 * and what is written to that one would be lost. The first connection creates the log, so another one holds it meanwhile.
 */
async function holdFiles(path: string): Promise<{ files: FileIdentity; release: () => void } | null> {
  const found = identifyFiles(path);
  if (found.main === null) return null;
  if (found.log !== null && found.index !== null) return { files: found, release: () => {} };
  let holder: Sqlite | undefined;
  try {
    const opened = await openSqlite(path, () => null);
    holder = opened;
    await retryBusy(async () => opened.pragma('schema_version'));
    const files = identifyFiles(path);
    return { files, release: () => closeKeepingLog(opened, path, files) };
  } catch (error) {
    holder?.close();
    if (inodeAt(path) !== found.main) return null;
    throw error;
  }
}

async function createOrRefuse(path: string, { mayCreate, migrations }: ConnectOptions): Promise<void> {
  if (mayCreate) return createDatabase(path, migrations);
  throw new Refusal(
    `There is no database ${path}, and a session never creates one. If a run is at work, it restores its database; try again.`,
  );
}

/** Null if the file was replaced or removed meanwhile. */
async function openMigrated(
  path: string,
  { migrations }: ConnectOptions,
  files: FileIdentity,
  via: () => Channel | null,
): Promise<Sqlite | null> {
  let sqlite: Sqlite | undefined;
  try {
    sqlite = await openSqlite(path, via);
    await migrate(sqlite, path, migrations);
    if (movedTo(sqlite) !== null) await claimMoved(sqlite, path, files.main);
    return sqlite;
  } catch (error) {
    if (sqlite !== undefined) closeKeepingLog(sqlite, path, files);
    if (inodeAt(path) !== files.main) return null;
    throw error;
  }
}

/**
 * A database that has a successor is at its path again, for example because a folder was moved back. A process that has the
 * successor open replaces it. If no process does so, this database is the only one left, and becomes current again.
 */
async function claimMoved(sqlite: Sqlite, path: string, main: bigint | null): Promise<void> {
  const deadline = performance.now() + REPLACED_WITHIN_MS;
  while (inodeAt(path) === main && performance.now() < deadline)
    await new Promise((wake) => setTimeout(wake, POLL_EVERY_MS));
  if (inodeAt(path) === main) sqlite.transaction(clearMoved).immediate(sqlite);
}

function createConnection(
  sqlite: Sqlite,
  path: string,
  files: FileIdentity,
  mask: Mask,
): Omit<Connection, 'writeVia'> {
  const db = new Kysely<Database>({ dialect: new RalphSqliteDialect(sqlite, mask) });
  return {
    sqlite,
    db,
    transact: createTransact(sqlite),
    files,
    isAtPath: () => isAt(path, files),
    movedTo: createMovedReader(sqlite),
    newPlace: createMetadataReader(sqlite, MOVED_KEY),
    close: async () => {
      closeKeepingLog(sqlite, path, files);
      // Kysely itself would close nothing that it was never asked to read.
      await db.destroy();
    },
  };
}

/**
 * The last connection that closes lets SQLite remove the log at the path, by its name. If the log that it has open was removed, the
 * one at the path is that of other processes, and may hold all that they wrote.
 */
function closeKeepingLog(sqlite: Sqlite, path: string, files: FileIdentity): void {
  const log = logPath(path);
  const found = inodeAt(log);
  if (found === null || found === files.log || inodeAt(path) !== files.main) return void sqlite.close();
  const kept = `${log}.${crypto.randomUUID()}.part`;
  linkUnlessTaken(log, kept);
  sqlite.close();
  if (inodeAt(path) === files.main) linkUnlessTaken(kept, log);
  rmSync(kept, { force: true });
}
