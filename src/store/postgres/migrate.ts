// The schema on PostgreSQL. Only `ralph database migrate` and a copy change it: a worker that is newer than the others must not
// change the tables under them.
import type { PoolClient } from 'pg';
import { Refusal } from '../../domain/refusal.ts';
import { MIGRATIONS } from '../migrations/index.ts';
import { type Migration, postgresText } from '../migrations/migration.ts';
import { describeAddress, type PostgresAddress } from './address.ts';
import { LOCK, readSchemaVersion, requireVersion } from './version.ts';

/** What SQLite offers and queries use by this name. Written anew by every migration. */
const FUNCTIONS = `
create or replace function opened_via() returns text language sql stable
  as $$ select nullif(current_setting('ralph.via', true), '') $$;

create or replace function json_each(list text) returns table (value text) language sql immutable strict
  as $$ select json_array_elements_text(cast(list as json)) collate "C" $$;
`;

/** Ignores case also beyond ASCII, as the function of this name on SQLite does; the "C" of the columns would not. */
const containsText = (collation: string): string => `
create or replace function contains_text(content text, part text) returns boolean language sql immutable
  as $$ select position(lower(part ${collation}) in lower(coalesce(content, '') ${collation})) > 0 $$;
`;

/** PostgreSQL 13 is the first that tells whether a transaction was committed. */
const OLDEST = 130_000;

export type MigrateOptions = {
  migrations?: readonly Migration[];
  /** Also while runs are at work: they stop at their next write. */
  isForced?: boolean;
};

/** Brings the schema to the newest version, in one transaction. Returns the version before; null for a new schema. */
export async function migratePostgres(
  client: PoolClient,
  address: PostgresAddress,
  { migrations = MIGRATIONS, isForced = false }: MigrateOptions = {},
): Promise<number | null> {
  await requireServer(client, address);
  const { schema } = address;
  await client.query('begin');
  try {
    // `create schema if not exists` needs the right to create one even where it exists.
    const { rows } = await client.query('select to_regnamespace($1) as found', [`"${schema}"`]);
    if (rows[0]?.found == null) await client.query(`create schema if not exists "${schema}"`);
    await client.query(`set local search_path = "${schema}"; select ${LOCK};`);
    const before = await readSchemaVersion(client, schema);
    if (before !== null && before > migrations.length) requireVersion(before, address, migrations);
    if (before !== null && before < migrations.length && !isForced)
      await requireIdle(client, before, address);
    await client.query('create table if not exists ralph_schema (version bigint not null)');
    for (const migration of migrations.slice(before ?? 0)) await client.query(postgresText(migration));
    await client.query(FUNCTIONS + containsText(await caseCollation(client)));
    await client.query('delete from ralph_schema');
    await client.query('insert into ralph_schema (version) values ($1)', [migrations.length]);
    await client.query('commit');
    return before;
  } catch (error) {
    await client.query('rollback').catch(() => {});
    throw error;
  }
}

/** The first version whose runs have a lease. */
const LEASES = 18;

type OpenRun = { kind: string; pid: number; host: string | null; version: string | null };

/** Runs of an older Ralph would stop in the middle: they refuse tables that they do not know. */
async function requireIdle(client: PoolClient, before: number, address: PostgresAddress): Promise<void> {
  if (before < LEASES) return;
  const { rows } = await client.query<OpenRun>(
    `select kind, pid, host, version from runs where ended is null
       and lease_until > extract(epoch from clock_timestamp()) * 1000 order by id`,
  );
  if (rows.length === 0) return;
  const names = rows.map(
    ({ kind, pid, host, version }) =>
      `${kind === 'supervisor' ? 'a run' : 'a client'} (pid ${pid}${host === null ? '' : ` on ${host}`}${version === null ? '' : `, Ralph ${version}`})`,
  );
  throw new Refusal(
    `${names.join(', ')} uses the queue at ${describeAddress(address)} and would stop in the middle; end it first, for instance with ralph fleet drain HOST, or add --force.`,
  );
}

async function requireServer(client: PoolClient, address: PostgresAddress): Promise<void> {
  const { rows } = await client.query<{ number: string; name: string; encoding: string }>(
    `select current_setting('server_version_num') as number, current_setting('server_version') as name,
       current_setting('server_encoding') as encoding`,
  );
  const [server] = rows;
  if (Number(server?.number) < OLDEST)
    throw new Refusal(
      `PostgreSQL at ${describeAddress(address)} is version ${server?.name}; Ralph needs 13 or newer.`,
    );
  if (server?.encoding !== 'UTF8')
    throw new Refusal(
      `The database at ${describeAddress(address)} has the encoding ${server?.encoding}; create one with: createdb --encoding=UTF8`,
    );
}

/** A server that was built without ICU knows the letters of its own locale at least. */
async function caseCollation(client: PoolClient): Promise<string> {
  const { rowCount } = await client.query("select 1 from pg_collation where collname = 'und-x-icu'");
  return rowCount === 0 ? 'collate "default"' : 'collate "und-x-icu"';
}
