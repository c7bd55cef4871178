import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { Kysely } from 'kysely';
import type { Door } from '../domain/event.ts';
import { type Mask, maskSecrets } from '../domain/mask-secrets.ts';
import { Refusal } from '../domain/refusal.ts';
import type { Database, Reader, Writer } from './database.ts';
import { backUp, migrate } from './migrate.ts';
import { MIGRATIONS } from './migrations/index.ts';
import {
  explainSqlite,
  integrityProblems,
  isSameFile,
  openSqlite,
  RalphSqliteDialect,
  requireSameFile,
  retryBusy,
  type Sqlite,
  transactionsOf,
} from './sqlite.ts';

/** One connection: a call from inside `work` would wait for itself for ever; use the `db` that `work` is given. */
export type Store = {
  readonly path: string;
  /** One consistent picture: everything read inside is of the same moment. */
  read<T>(work: (db: Reader) => Promise<T>): Promise<T>;
  /** All of it or nothing, and on disk when the promise is fulfilled. */
  write<T>(work: (db: Writer) => Promise<T>): Promise<T>;
  /** A database of its own with all that is in this one now. */
  copyTo(path: string): Promise<void>;
  integrityProblems(): Promise<string[]>;
  /** False where the file was deleted or replaced; it can still be read then, and no longer written. */
  isSameFile(): boolean;
  close(): Promise<void>;
};

/** `via`: the door that every event written here is said to have come through. `mask`: hides secrets in all that is written. */
export type StoreOptions = { via?: Door | null; mask?: Mask; migrations?: readonly string[] };

export async function openStore(
  path: string,
  { via = null, mask = maskSecrets({}), migrations = MIGRATIONS }: StoreOptions = {},
): Promise<Store> {
  const sqlite = await openMigrated(path, via, migrations);
  const db = new Kysely<Database>({ dialect: new RalphSqliteDialect(sqlite, mask) });
  const transact = transactionsOf(sqlite);
  const inode = statSync(path, { bigint: true }).ino;
  const explained = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw explainSqlite(error, path);
    }
  };
  return {
    path,
    // A read may be busy in the middle, too: while a crashed writer's log is recovered.
    read: (work) => explained(() => retryBusy(() => transact('read', () => work(db)))),
    write: (work) =>
      explained(() =>
        transact('write', () => {
          requireSameFile(path, inode);
          // Inside of `transact` and nowhere else the connection is a transaction.
          return work(db as Writer);
        }),
      ),
    copyTo: (target) => explained(() => backUp(sqlite, target)),
    integrityProblems: () => explained(async () => integrityProblems(sqlite)),
    isSameFile: () => isSameFile(path, inode),
    close: () => db.destroy(),
  };
}

async function openMigrated(path: string, via: Door | null, migrations: readonly string[]): Promise<Sqlite> {
  let sqlite: Sqlite | undefined;
  try {
    makeFolder(dirname(path));
    sqlite = await openSqlite(path, via);
    await migrate(sqlite, path, migrations);
    return sqlite;
  } catch (error) {
    sqlite?.close();
    throw explainSqlite(error, path);
  }
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    throw new Refusal(`The state folder ${folder} cannot be made; check that its parent is writable.`, {
      cause: error,
    });
  }
}
