// Before all tests: offers one PostgreSQL server to all of them. It starts when the first test asks for it, and many never do.
import { createServer } from 'node:net';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { type PostgresServer, postgresProblem, startPostgres } from '../../scripts/postgres.ts';
import { parseAddress } from '../../src/store/postgres/address.ts';
import { migratePostgres } from '../../src/store/postgres/migrate.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Where to ask for the server; or why this machine has none. */
    postgres: { port: number } | { problem: string };
  }
}

export const TEMPLATE = 'ralph_template';

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const problem = postgresProblem();
  if (problem !== null) {
    const sentence = `The tests on PostgreSQL cannot run here: ${problem}.`;
    if (process.env['CI']) throw new Error(sentence);
    console.warn(`\n${sentence} They are skipped.\n`);
    project.provide('postgres', { problem: sentence });
    return async () => {};
  }
  let starting: Promise<PostgresServer> | null = null;
  const start = (): Promise<PostgresServer> => {
    starting ??= startWithTemplate();
    return starting;
  };
  const desk = createServer((socket) => {
    socket.on('error', () => {});
    start().then(
      (server) => socket.end(server.url('postgres')),
      (error: unknown) => socket.end(`error: ${error instanceof Error ? error.stack : String(error)}`),
    );
  });
  await new Promise<void>((resolve) => desk.listen(0, '127.0.0.1', resolve));
  const address = desk.address();
  project.provide('postgres', { port: typeof address === 'object' && address !== null ? address.port : 0 });
  return async () => {
    desk.close();
    await (await starting)?.stop();
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
