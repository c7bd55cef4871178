// What PostgreSQL does by itself. What it does like SQLite is tested by the files that run on both.

import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { startRun } from '../../src/queue/sessions/runs.ts';
import { TABLES } from '../../src/store/copy.ts';
import { MIGRATIONS } from '../../src/store/migrations/index.ts';
import { openStore } from '../../src/store/open.ts';
import { parseAddress } from '../../src/store/postgres/address.ts';
import { migratePostgres } from '../../src/store/postgres/migrate.ts';
import { postgresClient, testDatabase } from '../support/postgres.ts';
import { describeSchema } from '../support/postgres-schema.ts';
import { TEMPLATE } from '../support/postgres-server.ts';
import { openQueueAt } from '../support/queue.ts';

it('the migrations produce the reviewed schema on PostgreSQL', async () => {
  await testDatabase();
  const schema = await describeSchema(await postgresClient(TEMPLATE), 'ralph');
  await expect(schema).toMatchFileSnapshot('schema-postgres.sql');
  const tables = [...schema.matchAll(/^create table (\w+)/gm)].map(([, name]) => name);
  // A copy must leave out no table. These two hold nothing that could not be made anew.
  expect(tables.filter((name) => name !== 'ralph_schema' && name !== 'learning_words').sort()).toEqual(
    Object.keys(TABLES).sort(),
  );
});

describe('the version of the tables', () => {
  it.each([
    [MIGRATIONS.length + 1, 'install a newer ralph-mcp'],
    [MIGRATIONS.length - 1, 'stop all runs, then run: ralph database migrate'],
  ])(
    'version %i is refused at the start, and by the next write of a process that runs already',
    async (version, repair) => {
      const url = await testDatabase();
      const store = await openStore(url);
      const client = await postgresClient(new URL(url).pathname.slice(1));
      await client.query('update ralph.ralph_schema set version = $1', [version]);
      try {
        await expect(openStore(url)).rejects.toThrow(repair);
        await expect(store.write(async () => {})).rejects.toThrow(repair);
      } finally {
        await client.query('update ralph.ralph_schema set version = $1', [MIGRATIONS.length]);
        await store.close();
      }
    },
  );

  it('the tables are not changed under a run at work, unless a person forces it', async () => {
    const url = await testDatabase();
    const queue = await openQueueAt(url);
    const identity = { pid: 7, process_started: 'x', host: 'build-2' };
    await startRun(queue, identity, 'supervisor', { version: '0.9.1' });
    const pool = new pg.Pool({ connectionString: url, max: 1 });
    const client = await pool.connect();
    const migrations = [...MIGRATIONS, 'select 1;'];
    const version = async (): Promise<number> =>
      Number((await client.query('select version from ralph.ralph_schema')).rows[0]?.version);
    try {
      await expect(migratePostgres(client, parseAddress(url), { migrations })).rejects.toThrow(
        /^a run \(pid 7 on build-2, Ralph 0\.9\.1\) uses the queue .*end it first.* or add --force/,
      );
      expect(await version()).toBe(MIGRATIONS.length);
      await migratePostgres(client, parseAddress(url), { migrations, isForced: true });
      expect(await version()).toBe(migrations.length);
    } finally {
      await client.query('update ralph.ralph_schema set version = $1', [MIGRATIONS.length]);
      client.release();
      await pool.end();
    }
  });

  it('a database without tables is refused, and the sentence names the command that makes them', async () => {
    const url = new URL(await testDatabase());
    url.searchParams.set('schema', 'nobodys');
    await expect(openStore(url.href)).rejects.toThrow(
      /There is no queue at .*schema=nobodys; make one there with: ralph database migrate/,
    );
  });
});
