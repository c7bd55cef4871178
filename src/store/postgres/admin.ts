// What a person does with a database on PostgreSQL: make its tables, and look at it.
import { isAddress, parseAddress } from './address.ts';
import { explainPostgres } from './explain.ts';
import { type MigrateOptions, migratePostgres } from './migrate.ts';
import { closePool, openPool } from './pool.ts';
import { readSchemaVersion } from './version.ts';

/** A migration may rewrite a large table. */
const MIGRATION_TIMEOUT_MS = 30 * 60_000;

export type DatabaseState = {
  /** Null if there are no tables of Ralph. */
  version: number | null;
  server: string;
  role: string;
  encrypted: boolean;
  /** Whether the server waits for its disk before it says that a change is recorded. */
  durable: boolean;
  round_trip_ms: number;
  /** Whether the role may change rows; false without tables. */
  may_write: boolean;
  /** How far the clock of the server is ahead of this machine's. */
  clock_ms: number;
};

/** Returns the version before; null for a new schema. */
export async function migrateDatabase(
  place: string,
  options: Pick<MigrateOptions, 'isForced'> = {},
): Promise<number | null> {
  const address = parseAddress(place);
  const pool = await openPool(address, { connections: 1, queryTimeoutMs: MIGRATION_TIMEOUT_MS });
  try {
    const client = await pool.connect();
    try {
      return await migratePostgres(client, address, options);
    } finally {
      client.release(true);
    }
  } catch (error) {
    throw explainPostgres(error, address);
  } finally {
    await closePool(pool);
  }
}

export async function inspectDatabase(place: string): Promise<DatabaseState | null> {
  if (!isAddress(place)) return null;
  const address = parseAddress(place);
  const pool = await openPool(address, { connections: 1 });
  try {
    const { rows } = await pool.query<Omit<DatabaseState, 'version' | 'round_trip_ms' | 'clock_ms'>>(
      `select current_setting('server_version') as server, current_user as role,
         coalesce((select ssl from pg_stat_ssl where pid = pg_backend_pid()), false) as encrypted,
         current_setting('fsync') = 'on' and current_setting('full_page_writes') = 'on' as durable,
         coalesce(has_table_privilege(to_regclass($1), 'insert'), false) as may_write`,
      [`"${address.schema}".sessions`],
    );
    const [state] = rows;
    if (state === undefined) throw new Error('PostgreSQL answered nothing.');
    const before = Date.now();
    const began = performance.now();
    const clock = await pool.query<{ now: number }>(
      'select extract(epoch from clock_timestamp())::float8 * 1000 as now',
    );
    const took = performance.now() - began;
    const clock_ms = Math.round((clock.rows[0]?.now ?? before) - (before + took / 2));
    const round_trip_ms = Math.round(took * 10) / 10;
    return { ...state, version: await readSchemaVersion(pool, address.schema), round_trip_ms, clock_ms };
  } catch (error) {
    throw explainPostgres(error, address);
  } finally {
    await closePool(pool);
  }
}
