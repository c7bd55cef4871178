// Keeps a store on the current database: once a successor has replaced the file at its path, the store uses the successor.
import { existsSync } from 'node:fs';
import { Unusable } from '../domain/refusal.ts';
import { type Connection, type ConnectOptions, connect } from './connect.ts';
import { inodeAt } from './database-files.ts';
import { isSuccessor, restoreAt } from './restore.ts';
import { retryBusy } from './sqlite.ts';
import { markMoved } from './succession.ts';

/** Longer than the pause between two heartbeats. */
const RESTORED_WITHIN_MS = 30_000;
const POLL_EVERY_MS = 25;

type FollowOptions = ConnectOptions & {
  /** A removed database is restored only while this folder exists; null for a process that never restores. */
  restoreWithin: string | null;
};

type ConnectionFollower = {
  current(): Connection;
  /** Resolves once `used` has been replaced, or is current again; throws if nothing replaced it. */
  leave(used: Connection): Promise<void>;
  /** How often a successor replaced the database. */
  replacements(): number;
};

export function follow(path: string, first: Connection, options: FollowOptions): ConnectionFollower {
  let current = first;
  let leaving: Promise<Connection> | null = null;
  let replacements = 0;
  return {
    current: () => current,
    replacements: () => replacements,
    leave: async (used) => {
      if (current !== used) return;
      leaving ??= findSuccessor(path, used, options).finally(() => {
        leaving = null;
      });
      const next = await leaving;
      if (current !== used || next === used) return;
      current = next;
      replacements += 1;
      // Closes after the calls that already wait for it: each of them finds the replacement and starts again.
      void used
        .transact('read', async () => {})
        .finally(used.close)
        .catch(() => {});
    },
  };
}

async function findSuccessor(path: string, used: Connection, options: FollowOptions): Promise<Connection> {
  const fresh = crypto.randomUUID();
  const token = await used.transact('write', async () => {
    const known = used.movedTo();
    if (known !== null || used.isAtPath()) return known;
    requireRestorable(path, options);
    // Committed before the copy is made: from here on no connection writes to the removed file.
    markMoved(used.sqlite, fresh);
    return fresh;
  });
  if (token === null) return used;
  if (token !== fresh) await waitForFile(path);
  // The file itself without its log is no successor: opened again, it would lack what the removed log held.
  if (inodeAt(path) === used.files.main || !isSuccessor(path, token)) {
    requireRestorable(path, options);
    await retryBusy(() => used.transact('write', async () => restoreAt(path, used, token)));
  }
  return connect(path, { ...options, mayCreate: false });
}

/**
 * The successor of this database was removed, too, and may have had later writes: the process that has it open restores it, at
 * its next heartbeat at the latest. If it is dead, this database is the newest that is left.
 */
async function waitForFile(path: string): Promise<void> {
  const deadline = performance.now() + RESTORED_WITHIN_MS;
  while (inodeAt(path) === null && performance.now() < deadline)
    await new Promise((wake) => setTimeout(wake, POLL_EVERY_MS));
}

function requireRestorable(path: string, { restoreWithin }: FollowOptions): void {
  if (restoreWithin === null || !existsSync(restoreWithin))
    throw new Unusable(`The database ${path} was deleted or replaced while in use; start Ralph again.`);
}
