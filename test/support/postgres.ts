import pg from 'pg';
import { inject, onTestFinished } from 'vitest';
import { TABLES } from '../../src/store/copy.ts';
import { askDesk } from './desk.ts';
import { TEMPLATE } from './postgres-server.ts';

/** Whether the tests that do not care run on PostgreSQL: in the project of this name, or because a person asked for it. */
export const isOnPostgres = (): boolean => process.env['RALPH_TEST_DATABASE'] === 'postgres';

/** How often a property is tried: there, each try takes many times as long, and looks for differences only. */
export const tries = (count: number): number => (isOnPostgres() ? Math.ceil(count / 15) : count);

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

const free: string[] = [];
let made = 0;

/** An empty queue, by its address; whoever is done with it gives it back. Making one takes longer than emptying one. */
export async function takeDatabase(): Promise<{ url: string; giveBack(): Promise<void> }> {
  const name = free.pop() ?? (await makeDatabase());
  const url = await postgresUrl(name);
  return {
    url,
    giveBack: async () => {
      await inDatabase(url, EMPTY);
      free.push(name);
    },
  };
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
  ...NUMBERED.map(([name]) => `alter table ${name} alter column id restart with 1`),
].join(';\n');
