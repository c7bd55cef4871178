// What PostgreSQL does by itself. What it does like SQLite is tested by the files that run on both.
import { describe, expect, it } from 'vitest';
import { TABLES } from '../../src/store/copy.ts';
import { MIGRATIONS } from '../../src/store/migrations/index.ts';
import { openStore } from '../../src/store/open.ts';
import { postgresClient, testDatabase } from '../support/postgres.ts';
import { describeSchema } from '../support/postgres-schema.ts';
import { TEMPLATE } from '../support/postgres-server.ts';

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

  it('a database without tables is refused, and the sentence names the command that makes them', async () => {
    const url = new URL(await testDatabase());
    url.searchParams.set('schema', 'nobodys');
    await expect(openStore(url.href)).rejects.toThrow(
      /There is no queue at .*schema=nobodys; make one there with: ralph database migrate/,
    );
  });
});
