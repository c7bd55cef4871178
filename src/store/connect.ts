// One connection to the database file at a path, and what it takes to know that the path still means that file.
import { Kysely } from 'kysely';
import type { Channel } from '../domain/event.ts';
import { Refusal, Unusable } from '../domain/refusal.ts';
import type { Mask } from '../domain/secrets/mask-secrets.ts';
import { createDatabase } from './create.ts';
import type { Database } from './database.ts';
import { type FileIdentity, identifyFiles, inodeAt, isAt } from './database-files.ts';
import { migrate } from './migrate.ts';
import { openSqlite, RalphSqliteDialect, type Sqlite, type Transact, transactionsOf } from './sqlite.ts';
import { clearMoved, movedTo, readerOfMoved } from './succession.ts';

export type Connection = {
  readonly sqlite: Sqlite;
  readonly db: Kysely<Database>;
  readonly transact: Transact;
  readonly files: FileIdentity;
  /** Whether the path still leads to the files that this connection has open. */
  isAtPath(): boolean;
  /** The token of the database that takes this one's place; null while this one counts. */
  movedTo(): string | null;
  close(): Promise<void>;
};

export type ConnectOptions = {
  via: Channel | null;
  mask: Mask;
  migrations: readonly string[];
  mayCreate: boolean;
};

/** A process that replaces the database does so within milliseconds, and only once. */
const MOST_TRIES = 20;
const REPLACED_WITHIN_MS = 3_000;
const LOOK_EVERY_MS = 25;

export async function connect(path: string, options: ConnectOptions): Promise<Connection> {
  for (let tries = 1; tries <= MOST_TRIES; tries++) {
    if (inodeAt(path) === null) await createOrRefuse(path, options);
    const main = inodeAt(path);
    if (main === null) continue;
    const sqlite = await openMigrated(path, options, main);
    const files = identifyFiles(path);
    // Replaced while it was opened: this connection may have one file's content and another one's log.
    if (sqlite !== null && files.main === main) return connectionOf(sqlite, path, files, options.mask);
    sqlite?.close();
  }
  throw new Unusable(`The database ${path} was replaced again and again while it was opened; try again.`);
}

async function createOrRefuse(path: string, { mayCreate, migrations }: ConnectOptions): Promise<void> {
  if (mayCreate) return createDatabase(path, migrations);
  throw new Refusal(
    `There is no database ${path}, and a session makes no new one. A run that is at work puts its database back; try again.`,
  );
}

/** Null where the file was taken away meanwhile. */
async function openMigrated(
  path: string,
  { via, migrations }: ConnectOptions,
  main: bigint,
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
 * A database that made way for its successor came back, as when a moved folder is moved again. The process that has the successor
 * open replaces it. Where none does, this is all there is, and it counts again.
 */
async function claimMoved(sqlite: Sqlite, path: string, main: bigint): Promise<void> {
  const deadline = performance.now() + REPLACED_WITHIN_MS;
  while (inodeAt(path) === main && performance.now() < deadline)
    await new Promise((wake) => setTimeout(wake, LOOK_EVERY_MS));
  if (inodeAt(path) === main) sqlite.transaction(clearMoved).immediate(sqlite);
}

function connectionOf(sqlite: Sqlite, path: string, files: FileIdentity, mask: Mask): Connection {
  const db = new Kysely<Database>({ dialect: new RalphSqliteDialect(sqlite, mask) });
  return {
    sqlite,
    db,
    transact: transactionsOf(sqlite),
    files,
    isAtPath: () => isAt(path, files),
    movedTo: readerOfMoved(sqlite),
    close: () => db.destroy(),
  };
}
