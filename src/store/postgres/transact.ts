// Transactions on PostgreSQL. Writes of a project happen one after another, on all machines: an advisory lock serialises them, so
// that use cases may read, decide and write as they do on SQLite, and events have their ids in the order of commits.
import type { Kysely } from 'kysely';
import type { Pool, PoolClient } from 'pg';
import type { Channel } from '../../domain/event.ts';
import { Unusable } from '../../domain/refusal.ts';
import type { Mask } from '../../domain/secrets/mask-secrets.ts';
import type { Database } from '../database.ts';
import { POSTGRES_CLOCK } from '../dialect.ts';
import { MOVED_KEY, requireNotMoved } from '../succession.ts';
import { describeAddress, type PostgresAddress } from './address.ts';
import { isConnectionLost, isPassing } from './explain.ts';
import { kyselyOn } from './pool.ts';
import type { ServerClock } from './server-clock.ts';
import { LOCK, requireVersion } from './version.ts';

/** `aside`: a write without the lock, for rows that no use case decides by. */
type Kind = 'read' | 'write' | 'aside';

type Begun = {
  readonly client: PoolClient;
  readonly db: Kysely<Database>;
  /** Null for a read. */
  readonly write: WriteState | null;
};

/** `xid`: tells after a broken connection whether the write was committed. `time`: by the clock of the server. */
type WriteState = { time: number; xid: string; version: number; moved: string | null };

/** A server that restarts is back within this time; a command that a person waits for gives up earlier. */
const WAIT_MS = 15_000;
const RESOLVE_MS = 60_000;

/**
 * READ COMMITTED: each statement after the lock sees what was committed before it. The snapshot of REPEATABLE READ would be older
 * than the lock. A process that stops in the middle holds up all others for 10 seconds at most.
 */
const MODES: Record<Kind, string> = {
  read: 'isolation level repeatable read read only',
  write: 'isolation level read committed read write',
  aside: 'isolation level read committed read write',
};

const LIMITS = `set local idle_in_transaction_session_timeout = '10s';
set local statement_timeout = '30s';
set local lock_timeout = '15s';
set local synchronous_commit = on;`;

/** One round trip: settings are local to the transaction, so that a pooler between may give each one another connection. */
function beginText(kind: Kind, schema: string, via: Channel | null): string {
  const begin = `begin ${MODES[kind]};
set local search_path = "${schema}";
${LIMITS}
set local ralph.via = '${via ?? ''}';`;
  if (kind === 'read')
    return `${begin}
select ${POSTGRES_CLOCK} as time;`;
  return `${begin}
${kind === 'write' ? `select ${LOCK};` : ''}
select ${POSTGRES_CLOCK} as time, pg_current_xact_id()::text as xid, (select version from ralph_schema) as version,
  (select value from metadata where key = '${MOVED_KEY}') as moved;`;
}

type Transactor = <T>(
  kind: Kind,
  via: Channel | null,
  work: (db: Kysely<Database>) => Promise<T>,
) => Promise<T>;

export function createTransactor(
  pool: Pool,
  address: PostgresAddress,
  options: Pick<Options, 'mask' | 'mayBeMoved' | 'clock'>,
): Transactor {
  let last: Promise<unknown> = Promise.resolve();
  return (kind, via, work) => {
    const run = () => transact(pool, address, { ...options, kind, via }, work);
    if (kind !== 'write') return run();
    // One after another within this process: those that wait for the lock would hold a connection each.
    const result = last.then(run);
    last = result.catch(() => {});
    return result;
  };
}

type Options = { kind: Kind; via: Channel | null; mask: Mask; mayBeMoved: boolean; clock: ServerClock };

async function transact<T>(
  pool: Pool,
  address: PostgresAddress,
  options: Options,
  work: (db: Kysely<Database>) => Promise<T>,
): Promise<T> {
  const deadline = performance.now() + WAIT_MS;
  for (;;) {
    const { client, db, write } = await begin(pool, address, options, deadline);
    let value: T;
    try {
      // Within the lock: since this process started, another Ralph may have changed the tables or moved the queue.
      if (write !== null) requireCurrent(write, address, options.mayBeMoved);
      value = await work(db);
    } catch (error) {
      await giveUp(client);
      // A read changes nothing, so it may begin again.
      if (options.kind !== 'read' || !isConnectionLost(error) || performance.now() > deadline) throw error;
      continue;
    }
    await commit(pool, client, write?.xid ?? null, address);
    return value;
  }
}

function requireCurrent({ version, moved }: WriteState, address: PostgresAddress, mayBeMoved: boolean): void {
  requireVersion(version, address);
  if (!mayBeMoved) requireNotMoved(moved);
}

/** Only the beginning is repeated: nothing has been asked for yet. */
async function begin(
  pool: Pool,
  { schema }: PostgresAddress,
  { kind, via, mask, clock }: Options,
  deadline: number,
): Promise<Begun> {
  for (let attempt = 1; ; attempt++) {
    let client: PoolClient | undefined;
    try {
      client = await pool.connect();
      const asked = Date.now();
      const state = readState(await client.query(beginText(kind, schema, via)));
      clock.observe(state.time, asked, Date.now());
      return { client, db: kyselyOn(client, mask), write: kind === 'read' ? null : state };
    } catch (error) {
      client?.release(true);
      if (!isPassing(error) || performance.now() > deadline) throw error;
      await sleep(Math.random() * Math.min(50 * 2 ** attempt, 1_000));
    }
  }
}

/** The driver answers several statements with one result each. */
function readState(results: unknown): WriteState {
  const last: unknown = Array.isArray(results) ? results.at(-1) : results;
  const [row] = (last as { rows: WriteState[] }).rows;
  if (row === undefined) throw new Error('PostgreSQL named no transaction.');
  return row;
}

/** Before the first transaction, which may write the time into a row. */
export async function readClock(pool: Pool, clock: ServerClock): Promise<void> {
  const asked = Date.now();
  const { rows } = await pool.query<{ time: number }>(`select ${POSTGRES_CLOCK} as time`);
  for (const { time } of rows) clock.observe(time, asked, Date.now());
}

async function giveUp(client: PoolClient): Promise<void> {
  try {
    await client.query('rollback');
    client.release();
  } catch {
    client.release(true);
  }
}

async function commit(
  pool: Pool,
  client: PoolClient,
  xid: string | null,
  address: PostgresAddress,
): Promise<void> {
  try {
    const { command } = await client.query('commit');
    client.release();
    // PostgreSQL answers so to the commit of a transaction in which a statement failed.
    if (command === 'ROLLBACK') throw new Error('A use case went on after a statement had failed.');
  } catch (error) {
    if (!isConnectionLost(error)) {
      if (!(error instanceof Error && /went on after/.test(error.message))) await giveUp(client);
      throw error;
    }
    client.release(true);
    if (xid !== null && !(await wasCommitted(pool, xid, address))) throw error;
  }
}

/** The answer to a commit was lost: the server knows whether it happened. The one place that asks. */
async function wasCommitted(pool: Pool, xid: string, address: PostgresAddress): Promise<boolean> {
  const deadline = performance.now() + RESOLVE_MS;
  while (performance.now() < deadline) {
    const status = await readStatus(pool, xid);
    if (status === 'committed') return true;
    if (status === 'aborted') return false;
    // Either the server cannot be reached, or it has not noticed yet that the connection is gone.
    await sleep(200);
  }
  throw new Unusable(
    `The connection to PostgreSQL at ${describeAddress(address)} broke while a change was being recorded, and it stayed away: whether it is recorded shows when the server is back.`,
  );
}

async function readStatus(pool: Pool, xid: string): Promise<string | null> {
  try {
    const { rows } = await pool.query<{ status: string | null }>(
      'select pg_xact_status($1::xid8) as status',
      [xid],
    );
    return rows[0]?.status ?? null;
  } catch (error) {
    if (isPassing(error)) return null;
    throw error;
  }
}

const sleep = (milliseconds: number): Promise<void> => new Promise((wake) => setTimeout(wake, milliseconds));
