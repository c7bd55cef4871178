// A database that does not take the write: an error with the repair, and never the word that says it did.
import { chmodSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { databasePath, findProject } from '../../src/host/project.ts';
import { closeQueue, openQueue, type Queue } from '../../src/queue/queue.ts';
import { addTask } from '../../src/queue/tasks/add.ts';
import { openBetterSqlite } from '../../src/store/better-sqlite.ts';
import { signalsOfSession } from '../../src/store/sessions/signals.ts';
import { callTool, claimed, connect, connectWithin, queueOf } from '../support/mcp.ts';
import { initialised } from '../support/ralph.ts';

/** A client that has taken a task. `via` starts its server in a smaller world. */
async function clientWithTask(via: readonly string[] = []) {
  const project = await initialised();
  await project.json('add', 'One');
  const client = await connect(project, { via });
  await callTool(client, 'next_task');
  const path = databasePath(findProject(project.root).stateDir);
  return { project, client, path, queue: await queueOf(project) };
}

/** The same for a session that a supervisor launched, whose server is in the supervisor. */
async function launchedClient(session: string) {
  const project = await initialised();
  await project.json('add', 'One');
  const { env, queue } = await claimed(project, session);
  const client = await connectWithin(project, { env });
  return { client, path: databasePath(findProject(project.root).stateDir), queue };
}

const allSignals = ({ store }: Queue) => store.read((db) => db.selectFrom('signals').selectAll().execute());

const LEARNED = { text: 'x', kind: 'discovery' };

function expectFault(answer: { text: string; isError: boolean }, repair: RegExp): void {
  expect(answer).toMatchObject({ isError: true, text: expect.stringMatching(repair) });
  expect(answer.text.toLowerCase()).not.toContain('recorded');
}

describe('a verb on a database that', () => {
  it('a verb on a database that is gone is recorded in the one that the server puts back, with what was there before', async () => {
    const { client, path, queue } = await launchedClient('gone');
    await callTool(client, 'learned', LEARNED);
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true });
    expect(await callTool(client, 'learned', LEARNED)).toMatchObject({ isError: false });
    expect(await queue.store.read((db) => signalsOfSession(db, 'gone'))).toHaveLength(2);
    expect(queue.store.replacements()).toBe(1);
  });

  it('a verb on a database that was replaced by another queue says so, and where its own is', async () => {
    const { client, path } = await launchedClient('replaced');
    await callTool(client, 'learned', LEARNED);
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true });
    const other = await openQueue(path);
    await addTask(other, { title: 'Of another queue' });
    await closeQueue(other);
    expectFault(await callTool(client, 'learned', LEARNED), /another one with its own content.*\.rescued/);
  });

  it('cannot grow says so, and what was acknowledged is there', async () => {
    // Files may not grow beyond 400 blocks of 1 KiB: to SQLite that is a disk that refuses to write.
    const { client, queue } = await clientWithTask(['bash', '-c', 'ulimit -f 400; exec "$@"', 'bash']);
    const flagged = { what: 'x'.repeat(50_000), severity: 'info', category: 'bug' };
    let acknowledged = 0;
    let answer = await callTool(client, 'flag', flagged);
    for (; !answer.isError; answer = await callTool(client, 'flag', flagged)) acknowledged += 1;
    expectFault(answer, /The disk that holds .* (is full; free some space|reports an error; check it)/);
    expect(acknowledged).toBeGreaterThan(0);
    expect(await allSignals(queue)).toHaveLength(acknowledged);
  });

  it('a verb on a database that is read-only says so, and what to do', async () => {
    // Root may write anything, unless that right is taken away.
    const rights = '-dac_override,-dac_read_search';
    const via =
      process.getuid?.() === 0 ? ['setpriv', `--bounding-set=${rights}`, `--inh-caps=${rights}`, '--'] : [];
    const project = await initialised();
    await project.json('add', 'One');
    const path = databasePath(findProject(project.root).stateDir);
    for (const file of readdirSync(dirname(path)).map((name) => join(dirname(path), name)))
      chmodSync(file, 0o444);
    chmodSync(dirname(path), 0o555);
    onTestFinished(() => chmodSync(dirname(path), 0o755));
    const client = await connect(project, { via });
    expectFault(await callTool(client, 'next_task'), /is read-only; make the file|cannot be opened; check/);
  });

  it('a verb on a database that is busy for a while is waited for, and the server answers meanwhile', async () => {
    const { client, path } = await launchedClient('busy');
    const holder = openBetterSqlite(path);
    holder.exec('begin immediate');
    const waiting = callTool(client, 'learned', LEARNED);
    // Answered while the verb waits for the lock.
    expect((await client.listTools()).tools).toHaveLength(9);
    holder.exec('commit');
    holder.close();
    expect((await waiting).text).toBe('Recorded. Go on.');
  });
});
