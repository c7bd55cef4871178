// One connection to the database file at a path, and the check that the path still leads to that file.
import { Kysely } from 'kysely';
import type { Channel } from '../domain/event.ts';
import { Refusal, Unusable } from '../domain/refusal.ts';
import type { Mask } from '../domain/secrets/mask-secrets.ts';
import { createDatabase } from './create.ts';
import type { Database } from './database.ts';
import { type FileIdentity, identifyFiles, inodeAt, isAt } from './database-files.ts';
import { migrate } from './migrate.ts';
import type { Migration } from './migrations/migration.ts';
import { createTransact, openSqlite, RalphSqliteDialect, type Sqlite, type Transact } from './sqlite.ts';
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
    const main = inodeAt(path);
    if (main === null) continue;
    const events = { via: options.via };
    const sqlite = await openMigrated(path, options, main, () => events.via);
    const files = identifyFiles(path);
    // If the file was replaced meanwhile, this connection may mix one file's content with another file's log.
    if (sqlite !== null && files.main === main)
      return {
        ...createConnection(sqlite, path, files, options.mask),
        writeVia: (channel) => {
          events.via = channel;
        },
      };
    sqlite?.close();
  }
  throw new Unusable(
    `The database ${path} kept being replaced by other processes while Ralph opened it; try again.`,
  );
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
  main: bigint,
  via: () => Channel | null,
): Promise<Sqlite | null> {
  let sqlite: Sqlite | undefined;
  try {
    sqlite = await openSqlite(path, via);
    await migrate(sqlite, path, migrations);
    if (movedTo(sqlite) !== null) await claimMoved(sqlite, path, main);
    return sqlite;
  } catch (error) {
    sqlite?.close();
    if (inodeAt(path) !== main) return null;
    throw error;
  }
}

/**
 * A database that has a successor is at its path again, for example because a folder was moved back. A process that has the
 * successor open replaces it. If no process does so, this database is the only one left, and becomes current again.
 */
async function claimMoved(sqlite: Sqlite, path: string, main: bigint): Promise<void> {
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
    close: () => db.destroy(),
  };
}
