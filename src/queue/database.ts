// Where a queue is, and how it moves from one database to another.
import { Refusal } from '../domain/refusal.ts';
import type { Liveness } from '../domain/sessions/liveness.ts';
import type { Run } from '../domain/sessions/session.ts';
import { needsOldAddon, oldAddonFolder, openBetterSqlite } from '../store/better-sqlite.ts';
import { copyQueue, finishMove, isHalfMoved, type MovedQueue, moveQueue } from '../store/move.ts';
import { openStore, type Store } from '../store/open.ts';
import { describeAddress, hasPassword, isAddress, writeAddress } from '../store/postgres/address.ts';
import { resolveAddress } from '../store/postgres/resolve-address.ts';
import { openRuns } from '../store/sessions/runs.ts';
import { explainSqlite } from '../store/sqlite.ts';

export { isAddress } from '../store/postgres/address.ts';
export type { DatabaseState } from '../store/postgres/admin.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/** A whole address: with the settings of the service file that it names, and checked. It may hold a password. */
export const completeAddress = (text: string, env: Variables): string =>
  writeAddress(resolveAddress(text, env));

/** For people: a file, or an address without its password. */
export const describePlace = (place: string, env: Variables): string =>
  isAddress(place) ? describeAddress(resolveAddress(place, env)) : place;

/** Every process of the machine can read a command line. */
export function requireNoPassword(text: string): void {
  if (isAddress(text) && hasPassword(text))
    throw new Refusal(
      'A password on the command line can be read by every program of this machine; leave it out and keep it in ~/.pgpass (mode 0600), or give the whole address by standard input: ralph database use -',
    );
}

/** What is stored is masked already, and the chain of evidence covers every byte of it. */
const openWhole = (place: string): Promise<Store> =>
  openStore(place, { mask: (text) => text, mayBeMoved: true });

async function withBoth<T>(
  from: string,
  to: string,
  work: (source: Store, target: Store) => Promise<T>,
): Promise<T> {
  const source = await openWhole(from);
  try {
    const target = await openWhole(to);
    try {
      return await work(source, target);
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

/** Moves the queue, all of it or nothing. Refuses while a run is alive: its agents would report to a queue that moved away. */
export const moveDatabase = (from: string, to: string, lookUp: (run: Run) => Liveness): Promise<MovedQueue> =>
  withBoth(from, to, (source, target) =>
    moveQueue(source, target, async (db) => {
      const alive = (await openRuns(db)).find((run) => lookUp(run) !== 'dead');
      if (alive !== undefined)
        throw new Refusal(
          `${alive.kind === 'supervisor' ? 'A ralph run' : 'A client'} is at work on the queue: pid ${alive.pid}${alive.host === null ? '' : ` on ${alive.host}`}; end it first.`,
        );
    }),
  );

export const copyDatabase = (from: string, to: string): Promise<void> => withBoth(from, to, copyQueue);

/** Before a project uses `to` instead of `from`: ends a move that was killed after its last step. True if there was one. */
export const finishHalfMove = (from: string, to: string): Promise<boolean> =>
  withBoth(from, to, async (source, target) => {
    const isHalf = await isHalfMoved(source, target);
    if (isHalf) await finishMove(target);
    return isHalf;
  });

/** The queue at this place; an error explains itself. `moved`: where it went. */
export async function lookAtQueue(place: string): Promise<{ tasks: number; moved: string | null }> {
  const { countByStatus } = await import('../store/tasks/tasks.ts');
  const { readMetadata } = await import('../store/metadata.ts');
  const { MOVED_KEY } = await import('../store/succession.ts');
  const store = await openWhole(place);
  try {
    return await store.read(async (db) => {
      const counts = Object.values(await countByStatus(db));
      return {
        tasks: counts.reduce((sum, count) => sum + count, 0),
        moved: (await readMetadata(db))[MOVED_KEY] ?? null,
      };
    });
  } finally {
    await store.close();
  }
}

/** A person goes on with the file that the queue had left, because the database is gone for good. */
export async function takeBack(place: string): Promise<void> {
  const store = await openWhole(place);
  await finishMove(store).finally(() => store.close());
}

/** Returns the version before; null for a new schema. */
export async function migrateDatabase(
  place: string,
  options: { isForced?: boolean } = {},
): Promise<number | null> {
  const admin = await import('../store/postgres/admin.ts');
  return admin.migrateDatabase(place, options);
}

/** Null for a file of SQLite. */
export async function inspectDatabase(place: string) {
  const admin = await import('../store/postgres/admin.ts');
  return admin.inspectDatabase(place);
}

// Whether SQLite can be loaded at all: what every command needs before there is a queue.

/** The version of SQLite, once it has opened a database in memory; refuses with the repair. */
export function loadSqlite(): string {
  try {
    const sqlite = openBetterSqlite(':memory:');
    const version: unknown = sqlite.prepare('select sqlite_version()').pluck().get();
    sqlite.close();
    return `SQLite ${version}`;
  } catch (error) {
    throw explainSqlite(error, ':memory:');
  }
}

/** Where the SQLite of this Node has to be installed; null if the package holds it. */
export const installFolder = (): string | null => (needsOldAddon ? oldAddonFolder() : null);
