// A queue that moves between SQLite and PostgreSQL.
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { closeQueue, openQueue, type Queue } from '../../src/queue/queue.ts';
import { saveChunks } from '../../src/queue/sessions/artifacts.ts';
import { addTasks } from '../../src/queue/tasks/add.ts';
import { differingTables, digestTables } from '../../src/store/copy.ts';
import { finishMove, isHalfMoved, moveQueue } from '../../src/store/move.ts';
import { openStore, type Store } from '../../src/store/open.ts';
import { testDatabase } from '../support/postgres.ts';
import { openQueueAt, runSession } from '../support/queue.ts';
import { tempDir } from '../support/temp.ts';

const idle = async (): Promise<void> => {};

async function openWhole(place: string): Promise<Store> {
  const store = await openStore(place, { mask: (text) => text, mayBeMoved: true });
  onTestFinished(() => store.close());
  return store;
}

const write = (place: string): Promise<unknown> =>
  withQueueAt(place, (queue) => addTasks(queue, [{ title: 'One more' }]));

async function withQueueAt<T>(place: string, work: (queue: Queue) => Promise<T>): Promise<T> {
  const queue = await openQueue(place);
  return work(queue).finally(() => closeQueue(queue));
}

/** With a little of everything that sessions leave. */
async function workedFile(): Promise<string> {
  const file = join(tempDir(), 'ralph.db');
  const queue = await openQueueAt(file);
  await addTasks(queue, [
    { title: 'One' },
    { title: 'Größer', tags: ['ä'] },
    { title: 'Three', depends_on: [1] },
  ]);
  const { session_id } = await runSession(queue, [
    { verb: 'learned', text: 'Tests need a port', kind: 'gotcha', scope: 'project' },
    { verb: 'done', summary: 'Built.' },
  ]);
  await saveChunks(queue, session_id, [{ name: 'stream.jsonl', seq: 0, bytes: Buffer.from([0, 255, 10]) }]);
  return file;
}

it('a queue of 10,000 tasks is the same after it moved to PostgreSQL and back', async () => {
  const [file, url, back] = [await workedFile(), await testDatabase(), join(tempDir(), 'back.db')];
  await withQueueAt(file, (queue) =>
    addTasks(
      queue,
      Array.from({ length: 10_000 }, (_, index) => ({ title: `Task ${index}`, depends_on: [1] })),
    ),
  );
  const [source, middle, target] = [await openWhole(file), await openWhole(url), await openWhole(back)];
  const before = await source.read(digestTables);
  await moveQueue(source, middle, idle);
  expect(differingTables(before, await middle.read(digestTables))).toEqual([]);
  await expect(write(file)).rejects.toThrow(
    /moved to postgres:\/\/postgres@127\.0\.0\.1:\d+\/\w+\?schema=ralph, and this copy/,
  );
  // The next ids follow those that were copied.
  await write(url);
  const after = await middle.read(digestTables);
  await moveQueue(middle, target, idle);
  expect(differingTables(after, await target.read(digestTables))).toEqual([]);
  await expect(write(url)).rejects.toThrow(`moved to ${back}`);
  await write(back);
});

it('a move that is killed before its last step leaves the source in use, and succeeds when it is repeated', async () => {
  const [source, target] = [await openWhole(await workedFile()), await openWhole(await testDatabase())];
  const killed: Store = {
    ...source,
    write: (work) =>
      source.write(async (db) => {
        await work(db);
        throw new Error('killed');
      }),
  };
  await expect(moveQueue(killed, target, idle)).rejects.toThrow('killed');
  // All rows are there, and nobody can go on with them by mistake.
  await expect(write(await placeOf(target))).rejects.toThrow(`moved to ${source.path}`);
  await write(source.path);
  expect(await moveQueue(source, target, idle)).toMatchObject({ isResumed: false });
  expect(await target.read((db) => db.selectFrom('tasks').select('id').execute())).toHaveLength(4);
});

it('a move that is killed after its last step leaves no queue that accepts writes, and is finished when it is repeated', async () => {
  const [source, target] = [await openWhole(await workedFile()), await openWhole(await testDatabase())];
  let writes = 0;
  const killed: Store = {
    ...target,
    write: (work) => {
      writes += 1;
      return writes === 1 ? target.write(work) : Promise.reject(new Error('killed'));
    },
  };
  await expect(moveQueue(source, killed, idle)).rejects.toThrow('killed');
  const url = await placeOf(target);
  await expect(write(source.path)).rejects.toThrow('moved to postgres:');
  await expect(write(url)).rejects.toThrow('moved to');
  expect(await isHalfMoved(source, target)).toBe(true);
  await finishMove(target);
  await write(url);
  await expect(write(source.path)).rejects.toThrow('moved to postgres:');
});

it('a queue with content is never overwritten by a move', async () => {
  const [source, url] = [await openWhole(await workedFile()), await testDatabase()];
  await write(url);
  await expect(moveQueue(source, await openWhole(url), idle)).rejects.toThrow(
    /There is a queue with content/,
  );
  await write(source.path);
});

it('a planning copy of a queue on PostgreSQL is a file of SQLite with the same content, but for what sessions printed', async () => {
  const [source, target] = [await openWhole(await workedFile()), await openWhole(await testDatabase())];
  await moveQueue(source, target, idle);
  const file = join(tempDir(), 'copy.db');
  await target.copyTo(file);
  const copy = await openWhole(file);
  expect(differingTables(await target.read(digestTables), await copy.read(digestTables))).toEqual([
    'artifacts',
  ]);
  await write(file);
});

/** The tests connect without a password, so what is shown is the whole address. */
const placeOf = async (store: Store): Promise<string> => store.path;
