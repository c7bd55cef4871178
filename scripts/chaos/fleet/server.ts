// PostgreSQL for all rounds, with a queue of its own for each.
import pg from 'pg';
import { parseAddress } from '../../../src/store/postgres/address.ts';
import { migratePostgres } from '../../../src/store/postgres/migrate.ts';
import { startPostgres } from '../../postgres.ts';

export type FleetServer = {
  readonly port: number;
  /** The address of an empty queue. */
  makeQueue(): Promise<string>;
  kill(): Promise<void>;
  restart(): Promise<void>;
  stop(): Promise<void>;
};

/** Rows as JavaScript values: PostgreSQL counts in 64 bits, and the driver would answer with texts. */
const types = {
  getTypeParser: (id: number, format?: 'text' | 'binary') =>
    id === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(id, format ?? 'text'),
};

export async function startFleetServer(): Promise<FleetServer> {
  const { port, url, kill, restart, stop } = await startPostgres();
  let queues = 0;
  return {
    port,
    makeQueue: async () => {
      queues += 1;
      const address = url(`fleet_${queues}`);
      await query(url('postgres'), `create database fleet_${queues}`);
      const pool = new pg.Pool({ connectionString: address, max: 1 });
      const client = await pool.connect();
      try {
        await migratePostgres(client, parseAddress(address));
      } finally {
        client.release();
        await pool.end();
      }
      return address;
    },
    kill,
    restart,
    stop,
  };
}

export async function query<Row>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url, types, options: '-c search_path=ralph' });
  // A server that is killed meanwhile fails the query, and must not end this process.
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(text)).rows as Row[];
  } finally {
    await client.end().catch(() => {});
  }
}
