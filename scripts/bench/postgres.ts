// PostgreSQL as people run it: it waits for its disk on every commit.
import { sql } from 'kysely';
import pg from 'pg';
import { migrateDatabase } from '../../src/queue/database.ts';
import { closeQueue, openQueue } from '../../src/queue/queue.ts';
import { appendEvents } from '../../src/store/events.ts';
import { openStore, type Store } from '../../src/store/open.ts';
import { type PostgresServer, postgresProblem, startPostgres } from '../postgres.ts';
import { claimer } from './claim.ts';
import { fillQueue } from './fill.ts';
import { type Bench, compare } from './measure.ts';

async function withServer<T>(work: (server: PostgresServer) => Promise<T>): Promise<T> {
  const problem = postgresProblem();
  if (problem !== null) throw new Error(`PostgreSQL cannot be measured here: ${problem}.`);
  const server = await startPostgres({ isDurable: true });
  return work(server).finally(() => server.stop());
}

async function createDatabase(server: PostgresServer, name: string): Promise<string> {
  const client = new pg.Client(server.url('postgres'));
  await client.connect();
  await client.query(`create database ${name}`).finally(() => client.end());
  await migrateDatabase(server.url(name));
  return server.url(name);
}

const [SMALL, LARGE] = [1_000, 100_000];

export const postgresClaims: Bench = () =>
  withServer(async (server) => {
    const queues = [
      await openQueue(await createDatabase(server, 'large')),
      await openQueue(await createDatabase(server, 'small')),
    ] as const;
    try {
      await fillQueue(queues[0], LARGE, { depends_on: () => [] });
      await fillQueue(queues[1], SMALL, { depends_on: () => [] });
      // As autovacuum does within a minute: until then the planner knows nothing of new rows.
      for (const { store } of queues) await store.write((db) => sql`analyze`.execute(db));
      const [large, small] = [await claimer(queues[0]), await claimer(queues[1])];
      const { measured, against } = await compare(150, large, small);
      return [
        {
          name: 'claim on PostgreSQL at 100,000 tasks against 1,000',
          ratio: measured / against,
          atMost: 2,
          detail: `${measured.toFixed(1)} ms against ${against.toFixed(1)} ms`,
        },
      ];
    } finally {
      for (const queue of queues) await closeQueue(queue);
    }
  });

const WORKERS = 64;
const WRITES = 640;

/** Of workers that never rest, which no agents do. */
export const postgresWrites: Bench = () =>
  withServer(async (server) => {
    const place = await createDatabase(server, 'writes');
    const alone = await writesPerSecond(place, 1);
    const together = await writesPerSecond(place, WORKERS);
    return [
      {
        name: `time of a write under the lock, ${WORKERS} workers against 1`,
        ratio: alone / together,
        // At least 0.3 of the rate of one.
        atMost: 3.3,
        detail: `${together.toFixed(0)} writes/s against ${alone.toFixed(0)}`,
      },
    ];
  });

async function writesPerSecond(place: string, workers: number): Promise<number> {
  const stores: Store[] = [];
  for (let worker = 0; worker < workers; worker++) stores.push(await openStore(place));
  const write = (store: Store) => store.write((db) => appendEvents(db, [{ at: 1, kind: 'project.saved' }]));
  try {
    await Promise.all(stores.map(write));
    const before = performance.now();
    await Promise.all(
      stores.map(async (store) => {
        for (let turn = 0; turn < WRITES / workers; turn++) await write(store);
      }),
    );
    return (WRITES * 1000) / (performance.now() - before);
  } finally {
    for (const store of stores) await store.close();
  }
}
