// Many real processes on one database.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, inject, it, onTestFinished } from 'vitest';
import type { Queue } from '../../src/queue/queue.ts';
import { checkHealth } from '../../src/queue/queue.ts';
import { addTasks } from '../../src/queue/tasks/add.ts';
import { status } from '../../src/queue/tasks/status.ts';
import { eventsAfter } from '../../src/store/events.ts';
import { isOnPostgres } from '../support/postgres.ts';
import { openQueueAt, testPlace } from '../support/queue.ts';
import { tempDir } from '../support/temp.ts';

/** Enough for all that is killed, or sent to sleep by the clock; on PostgreSQL each task takes several times as long. */
const [TASKS, SLEPT] = [100, isOnPostgres() ? 45 : 90];

type Worker = {
  child: ChildProcess;
  /** Is loaded, and waits to be let go. */
  ready: Promise<void>;
  /** Has finished something: killing a process that is still starting would prove little. */
  isWorking: boolean;
  finished: number[];
  begin(): void;
  ended: Promise<{ code: number | null; stderr: string }>;
};

function startWorker(folder: string, onFinished: () => void = () => {}): Worker {
  const args = [inject('worker'), readFileSync(join(folder, 'place'), 'utf8'), join(folder, 'condemned')];
  const child = spawn(process.execPath, args, { env: {}, cwd: folder, stdio: 'pipe' });
  onTestFinished(() => void child.kill('SIGKILL'));
  // It may be killed before it has read what it is sent.
  child.stdin.on('error', () => {});
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const ended = new Promise<{ code: number | null; stderr: string }>((resolve) => {
    child.on('close', (code) => resolve({ code, stderr }));
  });
  const ready = new Promise<void>((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line === 'ready') resolve();
      else {
        worker.isWorking = true;
        worker.finished.push(Number(line));
        onFinished();
        letWork();
      }
    });
  });
  const letWork = (): void => void child.stdin.write('one more\n');
  const worker: Worker = { child, ready, isWorking: false, finished: [], begin: letWork, ended };
  return worker;
}

/** Fulfilled when all of them are loaded. */
async function startWorkers(folder: string, count: number, onFinished?: () => void): Promise<Worker[]> {
  const workers = Array.from({ length: count }, () => startWorker(folder, onFinished));
  await Promise.all(workers.map(({ ready }) => ready));
  return workers;
}

/** Calls it whenever so many more tasks are finished: an interval in milliseconds would mean little on a busy machine. */
function everyFinished(count: number, act: () => void): () => void {
  let finished = 0;
  return () => {
    finished += 1;
    if (finished % count === 0) act();
  };
}

async function prepare(tasks: number): Promise<{ folder: string; queue: Queue }> {
  const folder = tempDir();
  mkdirSync(join(folder, 'condemned'));
  const place = await testPlace(folder);
  writeFileSync(join(folder, 'place'), place);
  const queue = await openQueueAt(place);
  // A third of them wait for an earlier one, so that counters move while many write.
  const third = Math.floor(tasks / 3);
  await addTasks(
    queue,
    Array.from({ length: tasks - third }, (_, index) => ({ title: `task ${index + 1}` })),
  );
  await addTasks(
    queue,
    Array.from({ length: third }, (_, index) => ({
      title: `later ${index}`,
      depends_on: [index + 1, index + 2],
    })),
  );
  return { folder, queue };
}

async function expectEachDoneOnce(queue: Queue, tasks: number): Promise<void> {
  expect((await status(queue)).counts).toMatchObject({ done: tasks, pending: 0, in_progress: 0 });
  const events = await queue.store.read((db) => eventsAfter(db, 0, 1_000_000));
  const dones = events.filter(
    ({ kind, data }) => kind === 'task.status' && (data as { to: string }).to === 'done',
  );
  expect(dones).toHaveLength(tasks);
  expect(new Set(dones.map(({ task_id }) => task_id)).size).toBe(tasks);
  const receipts = await queue.store.read((db) =>
    db
      .selectFrom('receipts')
      .innerJoin('sessions', 'sessions.id', 'receipts.session_id')
      .innerJoin('tasks', 'tasks.id', 'receipts.task_id')
      .select(['tasks.id', 'tasks.token as newest', 'sessions.token as proven'])
      .execute(),
  );
  expect(receipts).toHaveLength(tasks);
  expect(receipts.filter(({ newest, proven }) => newest !== proven)).toEqual([]);
  expect(await checkHealth(queue)).toEqual({ integrity: [], miscounted: [] });
}

const KILLS = 8;

it('nothing is lost or done twice when one of 8 processes is killed after every eighth task', async () => {
  const { folder, queue } = await prepare(TASKS);
  const working: Worker[] = [];
  const killed: Worker[] = [];
  const killOne = (): void => {
    // One that has begun to work, and not the one that has just come to the end of a task.
    const at = working.findIndex(({ isWorking }) => isWorking);
    const [victim] = at < 0 ? [] : working.splice(at, 1);
    const next = victim === undefined ? undefined : waiting.shift();
    if (victim === undefined || next === undefined) return;
    victim.child.kill('SIGKILL');
    killed.push(victim);
    working.push(next);
    next.begin();
  };
  // Those that take the places of the killed are loaded beforehand: they must not come too late.
  const waiting = await startWorkers(folder, 8 + KILLS, everyFinished(8, killOne));
  working.push(...waiting.splice(0, 8));
  for (const { begin } of working) begin();
  for (let one: Worker | undefined; ; ) {
    one = working.find(({ child }) => child.exitCode === null && child.signalCode === null);
    if (one === undefined) break;
    await one.ended;
  }
  // None of them had come to its own end before it was killed.
  for (const { ended } of killed) expect(await ended).toEqual({ code: null, stderr: '' });
  for (const { ended } of working) expect(await ended).toEqual({ code: 0, stderr: '' });
  expect(killed).toHaveLength(KILLS);
  const finished = [...killed, ...working].flatMap((worker) => worker.finished);
  expect(new Set(finished).size).toBe(finished.length);
  await expectEachDoneOnce(queue, TASKS);
});

const ZOMBIES = 6;

it('signals of a process that slept while another took over its task are refused', async () => {
  const { folder, queue } = await prepare(SLEPT);
  const workers = await startWorkers(folder, 8);
  const asleep: Worker[] = [];
  const codes = new Map<number | null, number>();
  let condemned = 0;
  await new Promise<void>((finished, failed) => {
    const follow = (worker: Worker): void => {
      worker.begin();
      void worker.ended.then(({ code, stderr }) => {
        codes.set(code, (codes.get(code) ?? 0) + 1);
        if (code === 1) failed(new Error(stderr));
        // Only a worker that found nothing left to do ends with 0.
        if (code === 0) finished();
      });
    };
    const disturb = (): void => {
      asleep.shift()?.child.kill('SIGCONT');
      const victim = workers.find(({ isWorking }) => isWorking);
      if (victim === undefined || condemned === ZOMBIES) return;
      condemned += 1;
      victim.isWorking = false;
      victim.child.kill('SIGSTOP');
      writeFileSync(join(folder, 'condemned', String(victim.child.pid)), '');
      asleep.push(victim);
      const next = startWorker(folder);
      workers.push(next);
      follow(next);
    };
    workers.forEach(follow);
    // By the clock, not by what is finished: a process that sleeps within a transaction holds up all others.
    const every50Ms = setInterval(disturb, 50);
    onTestFinished(() => clearInterval(every50Ms));
  });
  for (const { child } of workers) child.kill('SIGCONT');
  await Promise.all(workers.map(({ ended }) => ended));
  expect(codes.get(3), 'zombies that were refused').toBeGreaterThan(0);
  await expectEachDoneOnce(queue, SLEPT);
});
