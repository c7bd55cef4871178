// Connections to PostgreSQL, and Kysely on top of one of them.
import { readFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  HandleEmptyInListsPlugin,
  Kysely,
  PostgresAdapter,
  PostgresQueryCompiler,
  replaceWithNoncontingentExpression,
} from 'kysely';
import type { Pool, PoolClient } from 'pg';
import { Refusal } from '../../domain/refusal.ts';
import type { Mask } from '../../domain/secrets/mask-secrets.ts';
import type { Database } from '../database.ts';
import { maskParameters } from '../mask-parameters.ts';
import type { PostgresAddress } from './address.ts';

/** One writes, the others read or write beside the lock. */
const CONNECTIONS = 3;
const CONNECT_TIMEOUT_MS = 10_000;
/** Longer than the server's own limit for a statement: it is for a server that does not answer at all. */
const QUERY_TIMEOUT_MS = 40_000;
const KEEP_ALIVE_AFTER_MS = 10_000;

/** How long the server may take to answer that a connection ends. */
const CLOSE_MS = 5_000;

/** 64-bit integers and sums: Ralph's numbers fit into those of JavaScript. */
const NUMBERS = new Set([20, 1700]);

/** Loads the driver late: a start on SQLite does not pay for it. */
export async function openPool(
  address: PostgresAddress,
  { connections = CONNECTIONS, queryTimeoutMs = QUERY_TIMEOUT_MS } = {},
): Promise<Pool> {
  const { default: pg } = await import('pg');
  const { host, port, user, password, database } = address;
  const sockets = new Set<Socket>();
  const pool = new pg.Pool({
    host,
    port,
    user,
    database,
    // Never null: the driver would look for one itself.
    password: password ?? '',
    ssl: tlsOptions(address),
    max: connections,
    application_name: 'ralph',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: queryTimeoutMs,
    stream: () => {
      const socket = new Socket();
      sockets.add(socket.once('close', () => sockets.delete(socket)));
      return socket;
    },
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
    types: {
      getTypeParser: (id: number, format?: 'text' | 'binary') =>
        NUMBERS.has(id) ? Number : pg.types.getTypeParser(id, format ?? 'text'),
    },
  });
  // An idle connection broke: the next use makes a new one. Without a listener Node would end.
  pool.on('error', () => {});
  // The same for one that breaks between two statements of a transaction: the next statement fails, and says so.
  pool.on('connect', (client) => client.on('error', () => {}));
  poolSockets.set(pool, sockets);
  return pool;
}

const poolSockets = new WeakMap<Pool, ReadonlySet<Socket>>();

/** The driver waits for the goodbye of the server, which may never come: a process would not end. */
export async function closePool(pool: Pool, closeMs = CLOSE_MS): Promise<void> {
  const sockets = [...(poolSockets.get(pool) ?? [])];
  const closed = sockets.map((socket) => new Promise((over) => socket.once('close', over)));
  const late = new AbortController();
  await Promise.race([
    Promise.all([pool.end(), ...closed]),
    pause(closeMs, undefined, { signal: late.signal }).catch(() => {}),
  ]);
  late.abort();
  for (const socket of sockets) socket.destroy();
}

/** The host is named, or Node would compare the certificate of an IP address with "localhost". */
function tlsOptions({ tls, host }: PostgresAddress): false | object {
  if (tls === null) return false;
  return {
    rejectUnauthorized: true,
    host,
    ...(tls.certificate !== null && { ca: readCertificate(tls.certificate) }),
  };
}

function readCertificate(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new Refusal(`The certificate ${path} of sslrootcert cannot be read; check the path.`, {
      cause: error,
    });
  }
}

const opened = new WeakMap<PoolClient, Kysely<Database>>();

/** Queries on exactly this connection, within the transaction that is open on it. */
export function kyselyOn(client: PoolClient, mask: Mask): Kysely<Database> {
  const known = opened.get(client);
  if (known !== undefined) return known;
  const db = new Kysely<Database>({
    dialect: dialectOn(client, mask),
    // PostgreSQL has no empty lists.
    plugins: [new HandleEmptyInListsPlugin({ strategy: replaceWithNoncontingentExpression })],
  });
  opened.set(client, db);
  return db;
}

/** See `dialectName`. */
class RalphPostgresAdapter extends PostgresAdapter {
  readonly ralphDialect = 'postgres';
}

const dialectOn = (client: PoolClient, mask: Mask): Dialect => ({
  createAdapter: () => new RalphPostgresAdapter(),
  createQueryCompiler: () => new PostgresQueryCompiler(),
  createDriver: () => driverOn(client, mask),
  createIntrospector: () => {
    throw new Error('Ralph does not inspect its schema by Kysely.');
  },
});

function driverOn(client: PoolClient, mask: Mask): Driver {
  const connection = connectionOn(client, mask);
  const nothing = async (): Promise<void> => {};
  return {
    init: nothing,
    acquireConnection: async () => connection,
    beginTransaction: nothing,
    commitTransaction: nothing,
    rollbackTransaction: nothing,
    releaseConnection: nothing,
    destroy: nothing,
  };
}

function connectionOn(client: PoolClient, mask: Mask): DatabaseConnection {
  // A use case may ask for several things at once; a connection answers one after another.
  let last: Promise<unknown> = Promise.resolve();
  return {
    executeQuery: ({ sql, parameters }: CompiledQuery) => {
      const values = maskParameters(sql, parameters, mask).map(storable);
      const result = last.then(() => client.query({ text: sql, values }));
      last = result.catch(() => {});
      return result.then(({ command, rowCount, rows }) => ({
        rows,
        ...(command !== 'SELECT' && { numAffectedRows: BigInt(rowCount ?? 0) }),
      }));
    },
    streamQuery: () => {
      throw new Error('Ralph reads no streams from PostgreSQL.');
    },
  };
}

/** PostgreSQL takes no NUL in a text; nothing that Ralph compares has one. */
const storable = (value: unknown): unknown =>
  typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\u{fffd}') : value;
