// Before all tests: offers one PostgreSQL server to all of them. It starts when the first test asks for it, and many never do.
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { type PostgresServer, postgresProblem, startPostgres } from '../../scripts/postgres.ts';
import { parseAddress } from '../../src/store/postgres/address.ts';
import { migratePostgres } from '../../src/store/postgres/migrate.ts';
import { openDesk } from './desk.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Where to ask for the server; or why this machine has none. */
    postgres: { port: number } | { problem: string };
  }
}

export const TEMPLATE = 'ralph_template';

export default async function setup(
  project: Pick<TestProject, 'provide'>,
  problem = postgresProblem(),
): Promise<() => Promise<void>> {
  if (problem !== null) {
    const sentence = `The tests on PostgreSQL cannot run here: ${problem}.`;
    if (process.env['CI']) throw new Error(sentence);
    console.warn(`\n${sentence} They are skipped.\n`);
    project.provide('postgres', { problem: sentence });
    return async () => {};
  }
  let started: PostgresServer | null = null;
  const desk = await openDesk(async () => {
    started = await startWithTemplate();
    return started.url('postgres');
  });
  project.provide('postgres', { port: desk.port });
  return async () => {
    await desk.close();
    await started?.stop();
  };
}

async function startWithTemplate(): Promise<PostgresServer> {
  const server = await startPostgres();
  await inDatabase(server.url('postgres'), (client) => client.query(`create database ${TEMPLATE}`));
  await inDatabase(server.url(TEMPLATE), (client) =>
    migratePostgres(client, parseAddress(server.url(TEMPLATE))),
  );
  return server;
}

async function inDatabase(url: string, work: (client: pg.PoolClient) => Promise<unknown>): Promise<void> {
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  const client = await pool.connect();
  try {
    await work(client);
  } finally {
    client.release();
    await pool.end();
  }
}
