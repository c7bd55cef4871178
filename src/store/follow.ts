// Keeps a connection on the database that counts: where the file at its path was replaced by its successor, it goes on with that.
import { existsSync } from 'node:fs';
import { Unusable } from '../domain/refusal.ts';
import { type Connection, type ConnectOptions, connect } from './connect.ts';
import { inodeAt } from './database-files.ts';
import { isSuccessor, restoreAt } from './restore.ts';
import { retryBusy } from './sqlite.ts';
import { markMoved } from './succession.ts';

export type FollowOptions = ConnectOptions & {
  /** The folder that must still be there for a removed database to be put back; null for a process that never does. */
  restoreWithin: string | null;
};

export type Followed = {
  current(): Connection;
  /** Fulfilled when `used` is current no more, or counts again; throws where nothing took its place. */
  leave(used: Connection): Promise<void>;
  /** How often the database was replaced by its successor. */
  replacements(): number;
};

export function follow(path: string, first: Connection, options: FollowOptions): Followed {
  let current = first;
  let leaving: Promise<Connection> | null = null;
  let replacements = 0;
  return {
    current: () => current,
    replacements: () => replacements,
    leave: async (used) => {
      if (current !== used) return;
      leaving ??= nextOf(path, used, options).finally(() => {
        leaving = null;
      });
      const next = await leaving;
      if (current !== used || next === used) return;
      current = next;
      replacements += 1;
      // After the calls that wait for it already: each finds that it was replaced, and begins again.
      void used
        .transact('read', async () => {})
        .finally(used.close)
        .catch(() => {});
    },
  };
}

async function nextOf(path: string, used: Connection, options: FollowOptions): Promise<Connection> {
  const token = await used.transact('write', async () => {
    const known = used.movedTo();
    if (known !== null || used.isAtPath()) return known;
    requirePlace(path, options);
    // Committed before the copy is made: from here on no connection writes to the removed file.
    const made = crypto.randomUUID();
    markMoved(used.sqlite, made);
    return made;
  });
  if (token === null) return used;
  // The file itself, without its log, is no successor; opened once more, it would be read with the log that is gone.
  if (inodeAt(path) === used.files.main || !isSuccessor(path, token)) {
    requirePlace(path, options);
    await retryBusy(() => used.transact('write', async () => restoreAt(path, used, token)));
  }
  return connect(path, { ...options, mayCreate: false });
}

function requirePlace(path: string, { restoreWithin }: FollowOptions): void {
  if (restoreWithin === null || !existsSync(restoreWithin))
    throw new Unusable(`The database ${path} was deleted or replaced while in use; start Ralph again.`);
}
