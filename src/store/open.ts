import type { Channel } from '../domain/event.ts';
import { type Mask, maskSecrets } from '../domain/secrets/mask-secrets.ts';
import { connect } from './connect.ts';
import type { Reader, Writer } from './database.ts';
import { follow } from './follow.ts';
import { backUp } from './migrate.ts';
import { MIGRATIONS } from './migrations/index.ts';
import type { Migration } from './migrations/migration.ts';
import { isAddress, parseAddress } from './postgres/address.ts';
import { explainSqlite, integrityProblems, retryBusy } from './sqlite.ts';
import { requireNotMoved } from './succession.ts';

/** One connection: a call from inside `work` would wait for itself forever. Use the `db` that `work` receives. */
export type Store = {
  /** Where it is, for sentences: a file, or an address without its password. */
  readonly path: string;
  /** One consistent snapshot: all reads inside see the same moment. */
  read<T>(work: (db: Reader) => Promise<T>): Promise<T>;
  /** All or nothing; on disk when the promise resolves. */
  write<T>(work: (db: Writer) => Promise<T>): Promise<T>;
  /**
   * A write that waits for no other one, and that no other one waits for: heartbeats and chunks of logs. It must not write events,
   * nor anything that a use case decides by.
   */
  writeAside<T>(work: (db: Writer) => Promise<T>): Promise<T>;
  /** Whether other machines may use the database: then a host's name, clock and files prove nothing about the others. */
  readonly isShared: boolean;
  /** The time of the database as far as this process knows it; see `databaseClock`. */
  now(): number;
  /** The same connection for another channel: its events name that one. */
  via(channel: Channel): Store;
  /** Writes a separate database with the current queue. */
  copyTo(path: string): Promise<void>;
  integrityProblems(): Promise<string[]>;
  /** False if the file was deleted or replaced: it can still be read, but not written. */
  isSameFile(): boolean;
  /** How often a successor has replaced the file since it was opened. */
  replacements(): number;
  close(): Promise<void>;
};

export type StoreOptions = {
  /** The channel that every event written here gets. */
  via?: Channel | null;
  /** Hides secrets in everything that is written. */
  mask?: Mask;
  migrations?: readonly Migration[];
  /** False for a process of a session: it never needs a new database. */
  mayCreate?: boolean;
  /** For the commands that move a queue: all others refuse to write to one that moved away. */
  mayBeMoved?: boolean;
  /**
   * For a process that works on the queue: it restores the content of a removed file. It does so only while this folder exists;
   * if the folder is gone, so is the project.
   */
  restoreWithin?: string | null;
};

/** `place`: the path of a file of SQLite, or the address of a schema on PostgreSQL. */
export async function openStore(place: string, options: StoreOptions = {}): Promise<Store> {
  if (!isAddress(place)) return openFile(place, options);
  // Loaded late, like its driver: few projects need it.
  const { openPostgres } = await import('./postgres/open.ts');
  return openPostgres(parseAddress(place), options);
}

async function openFile(
  path: string,
  {
    via = null,
    mask = maskSecrets({}),
    migrations = MIGRATIONS,
    mayCreate = true,
    restoreWithin = null,
    mayBeMoved = false,
  }: StoreOptions,
): Promise<Store> {
  const explainErrors = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw explainSqlite(error, path);
    }
  };
  const options = { via, mask, migrations, mayCreate, restoreWithin };
  const first = await explainErrors(() => connect(path, options));
  const { current, leave, replacements } = follow(path, first, options);
  const storeVia = (channel: Channel | null): Store => {
    const write: Store['write'] = (work) =>
      explainErrors(async () => {
        for (;;) {
          const used = current();
          const result = await used.transact('write', async () => {
            // Checked inside the lock, so that a process that restores the file cannot miss this write.
            if (!used.isAtPath() || used.movedTo() !== null) return null;
            if (!mayBeMoved) requireNotMoved(used.newPlace());
            used.writeVia(channel);
            // Only inside `transact` is the connection a transaction.
            return { value: await work(used.db as Writer) };
          });
          if (result !== null) return result.value;
          await leave(used);
        }
      });
    return {
      path,
      isShared: false,
      read: (work) =>
        explainErrors(async () => {
          // If there is no successor, the old content can still be read.
          if (!current().isAtPath()) await leave(current()).catch(() => {});
          const used = current();
          // A read can also be busy in the middle, while SQLite recovers the log of a crashed writer.
          return retryBusy(() => used.transact('read', () => work(used.db)));
        }),
      write,
      writeAside: write,
      now: () => Date.now(),
      via: storeVia,
      copyTo: (target) => explainErrors(() => backUp(current().sqlite, target)),
      integrityProblems: () => explainErrors(async () => integrityProblems(current().sqlite)),
      isSameFile: () => current().isAtPath(),
      replacements,
      close: () => current().close(),
    };
  };
  return storeVia(via);
}
