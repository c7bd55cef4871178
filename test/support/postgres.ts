import pg from 'pg';
import { inject, onTestFinished } from 'vitest';
import { TABLES } from '../../src/store/copy.ts';
import { openStore, type Store } from '../../src/store/open.ts';
import { askDesk } from './desk.ts';
import { TEMPLATE } from './postgres-server.ts';

/** Whether the tests that do not care run on PostgreSQL: in the project of this name, or because a person asked for it. */
export const isOnPostgres = (): boolean => process.env['RALPH_TEST_DATABASE'] === 'postgres';

let server: Promise<string> | null = null;

/** The address of the server, as its superuser. */
export function postgresUrl(database = 'postgres'): Promise<string> {
  const offer = inject('postgres');
  if ('problem' in offer) throw new Error(offer.problem);
  server ??= askDesk(offer.port);
  return server.then((url) => url.replace(/\/postgres$/, `/${database}`));
}

/** A client of the running test's own. */
export async function postgresClient(database?: string): Promise<pg.Client> {
  const client = new pg.Client(await postgresUrl(database));
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

/** With the connection that empties it: to make one takes the server a process. */
type FreeDatabase = { name: string; cleaner: pg.Client | null };

const free: FreeDatabase[] = [];
let made = 0;

/** An empty queue, by its address; whoever is done with it gives it back. Making one takes longer than emptying one. */
async function takeDatabase(): Promise<{ url: string; giveBack(): Promise<void> }> {
  const { name, cleaner } = free.pop() ?? { name: await makeDatabase(), cleaner: null };
  const url = await postgresUrl(name);
  return {
    url,
    giveBack: async () => void free.push({ name, cleaner: await empty(url, cleaner) }),
  };
}

type OpenDatabase = { url: string; store: Store; cleaner: pg.Client | null };

const open: OpenDatabase[] = [];

/**
 * An empty queue that is open already, for a test that opens it only once. Its connections outlive the test: each new one is a
 * process of the server, which has yet to read what tables there are.
 */
export async function takeStore(): Promise<{ store: Store; giveBack(): Promise<void> }> {
  const { url, store, cleaner } = open.pop() ?? (await openDatabase());
  return {
    store: { ...store, close: async () => {} },
    giveBack: async () => {
      // Behind every write of the test, also one that the test did not wait for.
      await store.write(async () => {});
      open.push({ url, store, cleaner: await empty(url, cleaner) });
    },
  };
}

async function openDatabase(): Promise<OpenDatabase> {
  const url = await postgresUrl(await makeDatabase());
  return { url, store: await openStore(url), cleaner: null };
}

/** Returns the connection. A test may have ended it, as it ends those of its queue. */
async function empty(url: string, cleaner: pg.Client | null): Promise<pg.Client> {
  const done = await cleaner?.query(EMPTY).catch(() => null);
  if (cleaner != null && done != null) return cleaner;
  const client = new pg.Client(url);
  client.on('error', () => {});
  await client.connect();
  await client.query(EMPTY);
  return client;
}

/** The same for the running test. */
export async function testDatabase(): Promise<string> {
  const { url, giveBack } = await takeDatabase();
  onTestFinished(giveBack);
  return url;
}

async function makeDatabase(): Promise<string> {
  made += 1;
  const name = `test_${process.pid}_${made}`;
  await inDatabase(await postgresUrl(), `create database ${name} template ${TEMPLATE} strategy file_copy`);
  return name;
}

async function inDatabase(url: string, statement: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

const NAMES = Object.keys(TABLES).reverse();
const NUMBERED = Object.entries(TABLES).filter(([name, key]) => key.join() === 'id' && name !== 'sessions');

const EMPTY = [
  'set search_path = ralph',
  'delete from learning_words',
  'update feature_comments set conflicts_with = null',
  ...NAMES.map((name) => `delete from ${name}`),
  // Unlike `alter table`, this writes no catalog, which every later query would have to read again.
  ...NUMBERED.map(([name]) => `select setval(pg_get_serial_sequence('${name}', 'id'), 1, false)`),
].join(';\n');
