// Many real processes on one database file.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, it, onTestFinished } from 'vitest';
import { addTasks } from '../../src/queue/add.ts';
import { checkHealth } from '../../src/queue/health.ts';
import type { Queue } from '../../src/queue/queue.ts';
import { status } from '../../src/queue/status.ts';
import { eventsAfter } from '../../src/store/events.ts';
import { openTestQueue } from '../support/queue.ts';
import { tempDir } from '../support/temp.ts';

type Worker = {
  child: ChildProcess;
  /** Has finished something: killing a process that is still starting would prove little. */
  isWorking: boolean;
  finished: number[];
  ended: Promise<{ code: number | null; stderr: string }>;
};

function startWorker(folder: string): Worker {
  const args = [inject('worker'), join(folder, 'ralph.db'), join(folder, 'condemned')];
  const child = spawn(process.execPath, args, { env: {}, cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    worker.isWorking = true;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const worker: Worker = {
    child,
    isWorking: false,
    finished: [],
    ended: new Promise((resolve) => {
      child.on('close', (code) => {
        worker.finished = stdout.split('\n').filter(Boolean).map(Number);
        resolve({ code, stderr });
      });
    }),
  };
  return worker;
}

/** Enough to hit every step of a session; after that the rest is worked off in peace, however slow the machine. */
const MOST_KILLS = 60;

async function prepare(tasks: number): Promise<{ folder: string; queue: Queue }> {
  const folder = tempDir();
  mkdirSync(join(folder, 'condemned'));
  const queue = await openTestQueue(folder);
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

it('8 processes claim 1,000 tasks: each exactly once, none left', async () => {
  const { folder, queue } = await prepare(1_000);
  const workers = Array.from({ length: 8 }, () => startWorker(folder));
  for (const { ended } of workers) expect(await ended).toEqual({ code: 0, stderr: '' });
  const finished = workers.flatMap((worker) => worker.finished);
  expect(finished.sort((a, b) => a - b)).toEqual(Array.from({ length: 1_000 }, (_, index) => index + 1));
  await expectEachDoneOnce(queue, 1_000);
});

it('loses nothing and does nothing twice when processes are killed, or sleep and wake up as zombies', async () => {
  const { folder, queue } = await prepare(1_000);
  const workers = new Set<Worker>();
  const asleep: Worker[] = [];
  const codes = new Map<number | null, number>();
  let kills = 0;

  await new Promise<void>((finished, failed) => {
    const start = (): void => {
      const worker = startWorker(folder);
      workers.add(worker);
      void worker.ended.then(({ code, stderr }) => {
        workers.delete(worker);
        codes.set(code, (codes.get(code) ?? 0) + 1);
        if (code === 1) failed(new Error(stderr));
        // Only a worker that found nothing left to do ends with 0.
        if (code === 0) finished();
      });
    };
    const disturb = (): void => {
      asleep.shift()?.child.kill('SIGCONT');
      if (kills >= MOST_KILLS) return;
      const working = [...workers].filter((worker) => worker.isWorking);
      const victim = working[kills % 4];
      // The machine needs time to start replacements: never fewer than four are at work.
      if (victim === undefined || working.length < 5) return;
      kills += 1;
      victim.isWorking = false;
      if (kills % 3 > 0) victim.child.kill('SIGKILL');
      else {
        victim.child.kill('SIGSTOP');
        writeFileSync(join(folder, 'condemned', String(victim.child.pid)), '');
        asleep.push(victim);
      }
      start();
    };
    for (let count = 0; count < 8; count++) start();
    const every50Ms = setInterval(disturb, 50);
    onTestFinished(() => clearInterval(every50Ms));
  });

  for (const { child } of workers) child.kill('SIGCONT');
  await Promise.all([...workers].map(({ ended }) => ended));
  expect(kills).toBeGreaterThan(20);
  expect(codes.get(3), 'zombies that were refused').toBeGreaterThan(0);
  await expectEachDoneOnce(queue, 1_000);
}, 120_000);
