// A queue on PostgreSQL, as the same `Store` that a file of SQLite is.
import { sql } from 'kysely';
import type { Channel } from '../../domain/event.ts';
import { maskSecrets } from '../../domain/secrets/mask-secrets.ts';
import type { Reader, Writer } from '../database.ts';
import type { Store, StoreOptions } from '../open.ts';
import { describeAddress, type PostgresAddress } from './address.ts';
import { explainPostgres } from './explain.ts';
import { closePool, openPool } from './pool.ts';
import { createServerClock } from './server-clock.ts';
import { createTransactor, readClock } from './transact.ts';
import { readSchemaVersion, requireVersion } from './version.ts';

export async function openPostgres(
  address: PostgresAddress,
  {
    via = null,
    mask = maskSecrets({}),
    mayBeMoved = false,
  }: Pick<StoreOptions, 'via' | 'mask' | 'mayBeMoved'> = {},
): Promise<Store> {
  const explainErrors = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw explainPostgres(error, address);
    }
  };
  const pool = await openPool(address);
  const clock = createServerClock();
  const transact = createTransactor(pool, address, { mask, mayBeMoved, clock });
  try {
    // Not repeated like later calls: a person who mistyped the address waits for this answer.
    await explainErrors(async () => {
      requireVersion(await readSchemaVersion(pool, address.schema), address);
      await readClock(pool, clock);
    });
  } catch (error) {
    await closePool(pool).catch(() => {});
    throw error;
  }
  const storeVia = (channel: Channel | null): Store => {
    const store: Store = {
      path: describeAddress(address),
      isShared: true,
      read: (work) => explainErrors(() => transact('read', channel, work)),
      write: (work) => explainErrors(() => transact('write', channel, (db) => work(db as Writer))),
      writeAside: (work) => explainErrors(() => transact('aside', channel, (db) => work(db as Writer))),
      now: clock.now,
      via: storeVia,
      copyTo: async (path) => {
        const { copyToFile } = await import('../copy.ts');
        await copyToFile(store, path);
      },
      integrityProblems: () => store.read(findDamage),
      isSameFile: () => true,
      replacements: () => 0,
      close: () => closePool(pool),
    };
    return store;
  };
  return storeVia(via);
}

/** Foreign keys are always checked; what is left are pages that the server found damaged. */
async function findDamage(db: Reader): Promise<string[]> {
  const { rows } = await sql<{ failures: number | null }>`
    select checksum_failures as failures from pg_stat_database where datname = current_database()`.execute(
    db,
  );
  const failures = rows[0]?.failures ?? 0;
  return failures > 0 ? [`PostgreSQL counted ${failures} damaged pages in this database`] : [];
}
