// npm run chaos-queue: machines of a fleet on one queue on PostgreSQL, as processes; kills and freezes them, sets their clocks wrong and
// kills the server. Checks that every task is done once, and landed once. Git is not part of it.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { closeQueue, openQueue } from '../src/queue/queue.ts';
import { addTask } from '../src/queue/tasks/add.ts';
import { list } from '../src/queue/tasks/list.ts';
import { parseAddress } from '../src/store/postgres/address.ts';
import { migratePostgres } from '../src/store/postgres/migrate.ts';
import { LEASE } from './chaos-queue/settings.ts';
import { type PostgresServer, startPostgres } from './postgres.ts';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '5' }, workers: { type: 'string', default: '4' } },
});
const [TASKS, HOURS] = [16, [0, 1, -1]];
const DEADLINE_MS = 90_000;
const WORKER = join(import.meta.dirname, 'chaos-queue', 'worker.ts');

type Counts = { killed: number; frozen: number; outages: number };

const server = await startPostgres();
let failed = 0;
try {
  for (let round = 1; round <= Number(values.rounds); round++) {
    const counts: Counts = { killed: 0, frozen: 0, outages: 0 };
    const began = performance.now();
    const problems = await runRound(round, counts);
    if (problems.length > 0) failed += 1;
    const seconds = ((performance.now() - began) / 1_000).toFixed(1);
    console.log(`round ${round}: ${JSON.stringify(counts)} ${seconds} s ${problems.join('; ') || 'ok'}`);
  }
} finally {
  await server.stop();
}
console.log(`${values.rounds} rounds, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

async function runRound(round: number, counts: Counts): Promise<string[]> {
  const url = await makeQueue(server, `round_${round}`);
  const landings = mkdtempSync(join(tmpdir(), 'ralph-landings-'));
  const queue = await openQueue(url);
  for (let number = 1; number <= TASKS; number++) await addTask(queue, { title: `Task ${number}` });
  await closeQueue(queue);
  const workers = new Map<number, ChildProcess>();
  let errors = '';
  const start = (number: number): void => {
    const hours = HOURS[number % HOURS.length];
    const args = [...process.execArgv, WORKER, url, `machine-${number}`, landings, String(hours)];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    child.stderr?.on('data', (chunk) => (errors += chunk));
    child.on('exit', () => workers.delete(number));
    workers.set(number, child);
  };
  let next = 0;
  for (; next < Number(values.workers); next++) start(next);
  const deadline = performance.now() + DEADLINE_MS;
  try {
    while (workers.size > 0 && performance.now() < deadline) {
      await sleep(300 + Math.random() * 900);
      if (counts.killed + counts.frozen + counts.outages >= 8) continue;
      await disturb([...workers.values()], counts, () => start(next++));
    }
    // Whoever was killed last may have left a task, and nobody is there to take it over.
    if (workers.size === 0) start(next++);
    while (workers.size > 0 && performance.now() < deadline) await sleep(200);
    return [...(await findProblems(url, landings)), ...(errors === '' ? [] : [errors.slice(0, 500)])];
  } finally {
    for (const child of workers.values()) child.kill('SIGKILL');
    rmSync(landings, { recursive: true, force: true });
  }
}

async function disturb(workers: readonly ChildProcess[], counts: Counts, start: () => void): Promise<void> {
  const victim = workers[Math.floor(Math.random() * workers.length)];
  const kind = Math.random();
  if (victim === undefined) return;
  if (kind < 0.4) {
    victim.kill('SIGKILL');
    counts.killed += 1;
    start();
  } else if (kind < 0.8) {
    victim.kill('SIGSTOP');
    counts.frozen += 1;
    setTimeout(() => victim.kill('SIGCONT'), 2 * LEASE.leaseMs);
  } else {
    await server.kill();
    counts.outages += 1;
    await sleep(Math.random() * 2 * LEASE.leaseMs);
    await server.restart();
  }
}

async function findProblems(url: string, landings: string): Promise<string[]> {
  const queue = await openQueue(url);
  try {
    const tasks = await list(queue, {});
    const landed = readdirSync(landings);
    const client = new pg.Client(url);
    await client.connect();
    const { rows } = await client
      .query<{ task_id: string }>('select task_id from ralph.receipts')
      .finally(() => client.end());
    return tasks.flatMap(({ id, status }) => {
      const own = landed.filter((file) => file.startsWith(`${id}.`)).length;
      const receipts = rows.filter(({ task_id }) => Number(task_id) === id).length;
      return status === 'done' && own === 1 && receipts === 1
        ? []
        : [`task ${id} is ${status}, landed ${own} times, with ${receipts} receipts`];
    });
  } finally {
    await closeQueue(queue);
  }
}

async function makeQueue(on: PostgresServer, name: string): Promise<string> {
  const admin = new pg.Client(on.url('postgres'));
  await admin.connect();
  await admin.query(`create database ${name}`).finally(() => admin.end());
  const pool = new pg.Pool({ connectionString: on.url(name), max: 1 });
  const client = await pool.connect();
  try {
    await migratePostgres(client, parseAddress(on.url(name)));
  } finally {
    client.release();
    await pool.end();
  }
  return on.url(name);
}
