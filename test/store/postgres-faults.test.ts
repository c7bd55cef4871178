// What goes wrong between a process and its server: lost answers, broken connections, writers at the same time.
import { connect, createServer, type Socket } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { startWire } from '../../scripts/chaos/fleet/wire.ts';
import { closeQueue, openQueue } from '../../src/queue/queue.ts';
import { startRun } from '../../src/queue/sessions/runs.ts';
import { addTasks } from '../../src/queue/tasks/add.ts';
import { claim } from '../../src/queue/tasks/claim.ts';
import { appendEvents, eventsAfter } from '../../src/store/events.ts';
import { readMetadata, writeMetadata } from '../../src/store/metadata.ts';
import { openStore, type Store } from '../../src/store/open.ts';
import { parseAddress } from '../../src/store/postgres/address.ts';
import { closePool, openPool } from '../../src/store/postgres/pool.ts';
import { insertTaskComments } from '../../src/store/tasks/task-comments.ts';
import { postgresClient, testDatabase } from '../support/postgres.ts';
import { openQueueAt } from '../support/queue.ts';

async function open(place: string, via: 'cli' | 'ui' | null = null): Promise<Store> {
  const store = await openStore(place, { via });
  onTestFinished(() => store.close());
  return store;
}

/** Passes everything on, until a client says commit: then it cuts the connection, before or after the server hears it. */
async function cutAtCommit(url: string): Promise<{ place: string; cut: (when: 'before' | 'after') => void }> {
  const target = new URL(url);
  const port = Number(target.port);
  let when: 'before' | 'after' | null = null;
  const sockets = new Set<Socket>();
  const proxy = createServer((client) => {
    const server = connect(port, '127.0.0.1');
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.on('error', () => {});
    }
    client.on('data', (data) => {
      if (when === null || !data.includes('commit\0')) return void server.write(data);
      const [now] = [when];
      when = null;
      if (now === 'before') {
        client.destroy();
        server.destroy();
      } else {
        // The server answers nobody.
        server.removeAllListeners('data');
        server.once('data', () => client.destroy());
        server.write(data);
      }
    });
    server.on('data', (data) => void client.write(data));
    client.on('close', () => server.destroy());
    server.on('close', () => client.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    proxy.close();
  });
  const address = proxy.address();
  target.port = String(typeof address === 'object' && address !== null ? address.port : 0);
  return {
    place: target.href,
    cut: (moment) => {
      when = moment;
    },
  };
}

it('a commit whose answer is lost counts as recorded, and one that never reached the server does not', async () => {
  const { place, cut } = await cutAtCommit(await testDatabase());
  const store = await open(place);
  cut('after');
  await store.write((db) => writeMetadata(db, 'a', 'committed'));
  cut('before');
  await expect(store.write((db) => writeMetadata(db, 'b', 'lost'))).rejects.toThrow(
    /nothing was changed; try again/,
  );
  await store.write((db) => writeMetadata(db, 'c', 'committed'));
  expect(await store.read(readMetadata)).toMatchObject({ a: 'committed', c: 'committed' });
  expect(await store.read(readMetadata)).not.toHaveProperty('b');
});

it('a read whose connection the server ends in the middle begins again', async () => {
  const url = await testDatabase();
  const [store, client] = [await open(url), await postgresClient()];
  let attempts = 0;
  await store.read(async (db) => {
    attempts += 1;
    if (attempts === 1)
      await client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [
        new URL(url).pathname.slice(1),
      ]);
    return readMetadata(db);
  });
  expect(attempts).toBe(2);
});

it('writers that read, decide and write at the same time lose nothing, and events have their ids in the order of commits', async () => {
  const url = await testDatabase();
  const stores = await Promise.all(Array.from({ length: 4 }, () => open(url)));
  const seen: number[] = [];
  const count = async (store: Store): Promise<void> => {
    for (let turn = 0; turn < 10; turn++) {
      await store.write(async (db) => {
        const { count = '0' } = await readMetadata(db);
        await appendEvents(db, [{ at: Number(count), kind: 'project.saved' }]);
        await writeMetadata(db, 'count', String(Number(count) + 1));
      });
      const last = seen.at(-1) ?? 0;
      seen.push(
        ...(await store.read((db) => eventsAfter(db, last)))
          .map(({ id }) => id)
          .filter((id) => id > (seen.at(-1) ?? 0)),
      );
    }
  };
  await Promise.all(stores.map(count));
  const [first] = stores;
  expect(await first?.read(readMetadata)).toMatchObject({ count: '40' });
  const events = (await first?.read((db) => eventsAfter(db, 0))) ?? [];
  expect(events.map(({ at }) => at)).toEqual(Array.from({ length: 40 }, (_, index) => index));
  // A poller that asks for what is newer than the last one it saw misses none.
  expect(seen).toEqual(events.map(({ id }) => id));
});

it('each event names the channel of its own store, and a failed write leaves nothing', async () => {
  const url = await testDatabase();
  const [cli, ui] = [await open(url, 'cli'), await open(url, 'ui')];
  for (const store of [cli, ui])
    await store.write((db) => appendEvents(db, [{ at: 1, kind: 'project.saved' }]));
  const failed = cli.write(async (db) => {
    await appendEvents(db, [{ at: 2, kind: 'project.saved' }]);
    throw new Error('no');
  });
  await expect(failed).rejects.toThrow('no');
  expect((await ui.read((db) => eventsAfter(db, 0))).map(({ via }) => via)).toEqual(['cli', 'ui']);
});

it('a use case that goes on after a failed statement is not told that it was recorded', async () => {
  const store = await open(await testDatabase());
  const write = store.write(async (db) => {
    await writeMetadata(db, 'a', 'b');
    await db
      .insertInto('feature_dependencies')
      .values({ feature: 'x', depends_on: 'x' })
      .execute()
      .catch(() => {});
  });
  await expect(write).rejects.toThrow('after a statement had failed');
  expect(await store.read(readMetadata)).toEqual({});
});

it('a text with a NUL is stored with a mark in its place', async () => {
  const queue = await openQueueAt(await testDatabase());
  await addTasks(queue, [{ title: 'One' }]);
  await queue.store.write((db) =>
    insertTaskComments(db, [
      { task_id: 1, session_id: null, author: 'human', body: 'a\0b', created: 1, agent_task_id: null },
    ]),
  );
  expect(await queue.store.read((db) => db.selectFrom('task_comments').select('body').execute())).toEqual([
    { body: 'a\u{fffd}b' },
  ]);
});

it.each([-3_600_000, 3_600_000])(
  'a machine whose clock is wrong by %i ms goes by the clock of the server',
  async (wrongMs) => {
    const place = await testDatabase();
    const dueTimes = [Date.now() - 1_000, Date.now() + 600_000];
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + wrongMs });
    onTestFinished(() => void vi.useRealTimers());
    const queue = await openQueue(place);
    onTestFinished(() => closeQueue(queue));
    expect(Math.abs(queue.now() - Date.now() + wrongMs)).toBeLessThan(60_000);
    await addTasks(queue, [{ title: 'Due' }, { title: 'Not due' }]);
    await queue.store.write(async (db) => {
      for (const [index, not_before] of dueTimes.entries())
        await db
          .updateTable('tasks')
          .set({ not_before })
          .where('id', '=', index + 1)
          .execute();
    });
    const run_id = await startRun(queue, { pid: process.pid, process_started: null });
    expect((await claim(queue, { run_id, session_id: 'first' }))?.task.title).toBe('Due');
    expect(await claim(queue, { run_id, session_id: 'second' })).toBeNull();
  },
);

it('connections whose server has stopped answering are closed nevertheless, so that their process can end', async () => {
  const url = new URL(await testDatabase());
  const wire = await startWire(Number(url.port));
  onTestFinished(wire.close);
  url.port = String(wire.port);
  const pool = await openPool(parseAddress(url.href));
  const ends: Promise<unknown>[] = [];
  pool.on('connect', (client) => ends.push(new Promise((over) => client.once('end', over))));
  const [busy, idle] = await Promise.all([pool.connect(), pool.connect()]);
  idle.release();
  wire.cut('stall');
  const asked = busy.query('select 1');
  await Promise.all([closePool(pool, 20), expect(asked).rejects.toThrow('Connection terminated'), ...ends]);
  expect(ends).toHaveLength(2);
});
