// The version of the tables on PostgreSQL, and the lock under which they and the queue change.
import type { Pool, PoolClient } from 'pg';
import { Refusal } from '../../domain/refusal.ts';
import { MIGRATIONS } from '../migrations/index.ts';
import type { Migration } from '../migrations/migration.ts';
import { describeAddress, type PostgresAddress } from './address.ts';

/** "RALP" and the identity of the schema: no other program and no other project takes the same lock. */
export const LOCK =
  'pg_advisory_xact_lock((1380011088::bigint << 32) | (to_regnamespace(current_schema())::oid)::bigint)';

/** `version`: null if the schema has no tables of Ralph. */
export async function readSchemaVersion(client: Pool | PoolClient, schema: string): Promise<number | null> {
  const table = `"${schema}".ralph_schema`;
  const { rows } = await client.query<{ found: string | null }>('select to_regclass($1) as found', [table]);
  if (rows[0]?.found == null) return null;
  const found = await client.query<{ version: number }>(`select version from ${table}`);
  return found.rows[0]?.version ?? null;
}

/** Refuses a database that this Ralph must not write to. */
export function requireVersion(
  version: number | null,
  address: PostgresAddress,
  migrations: readonly Migration[] = MIGRATIONS,
): void {
  const place = describeAddress(address);
  if (version === null)
    throw new Refusal(`There is no queue at ${place}; make one there with: ralph database migrate`);
  if (version > migrations.length)
    throw new Refusal(
      `The database ${place} has version ${version}, this Ralph supports ${migrations.length}; install a newer ralph-mcp.`,
    );
  if (version < migrations.length)
    throw new Refusal(
      `The database ${place} has version ${version}, this Ralph needs ${migrations.length}; stop all runs, then run: ralph database migrate`,
    );
}
