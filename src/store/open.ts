import type { Channel } from '../domain/event.ts';
import { type Mask, maskSecrets } from '../domain/secrets/mask-secrets.ts';
import { connect } from './connect.ts';
import type { Reader, Writer } from './database.ts';
import { follow } from './follow.ts';
import { backUp } from './migrate.ts';
import { MIGRATIONS } from './migrations/index.ts';
import { explainSqlite, integrityProblems, retryBusy } from './sqlite.ts';

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
  /** How often the file was replaced by its successor since it was opened. */
  replacements(): number;
  close(): Promise<void>;
};

export type StoreOptions = {
  /** The door that every event written here is said to have come through. */
  via?: Channel | null;
  /** Hides secrets in all that is written. */
  mask?: Mask;
  migrations?: readonly string[];
  /** False for a process that belongs to a session: the database that it needs is never a new one. */
  mayCreate?: boolean;
  /**
   * For a process that works on the queue: where the file is removed, it puts the content back. The folder named here must still be
   * there for that; where it is gone, the whole project is.
   */
  restoreWithin?: string | null;
};

export async function openStore(
  path: string,
  {
    via = null,
    mask = maskSecrets({}),
    migrations = MIGRATIONS,
    mayCreate = true,
    restoreWithin = null,
  }: StoreOptions = {},
): Promise<Store> {
  const explained = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw explainSqlite(error, path);
    }
  };
  const options = { via, mask, migrations, mayCreate, restoreWithin };
  const first = await explained(() => connect(path, options));
  const { current, leave, replacements } = follow(path, first, options);
  return {
    path,
    read: (work) =>
      explained(async () => {
        // Where nothing took its place, what it held can still be looked at.
        if (!current().isAtPath()) await leave(current()).catch(() => {});
        const used = current();
        // A read may be busy in the middle, too: while a crashed writer's log is recovered.
        return retryBusy(() => used.transact('read', () => work(used.db)));
      }),
    write: (work) =>
      explained(async () => {
        for (;;) {
          const used = current();
          const result = await used.transact('write', async () => {
            // Inside of the lock, so that nobody who puts the file back can miss what is written here.
            if (!used.isAtPath() || used.movedTo() !== null) return null;
            // Inside of `transact` and nowhere else the connection is a transaction.
            return { value: await work(used.db as Writer) };
          });
          if (result !== null) return result.value;
          await leave(used);
        }
      }),
    copyTo: (target) => explained(() => backUp(current().sqlite, target)),
    integrityProblems: () => explained(async () => integrityProblems(current().sqlite)),
    isSameFile: () => current().isAtPath(),
    replacements,
    close: () => current().close(),
  };
}
