import { hostname } from 'node:os';
import { expect, it } from 'vitest';
import { localTime } from '../../../src/domain/text/amounts.ts';
import { identify, liveness } from '../../../src/host/processes/process-identity.ts';
import { changesSince, type Queue } from '../../../src/queue/queue.ts';
import { keepHeartbeat } from '../../../src/queue/sessions/heartbeat.ts';
import { startRun, startRunAlone, stopRun } from '../../../src/queue/sessions/runs.ts';
import { status } from '../../../src/queue/tasks/status.ts';
import { renewLease } from '../../../src/store/sessions/leases.ts';
import { openTestQueue } from '../../support/queue.ts';

const heartbeatOf = async (queue: Queue, run_id: number): Promise<number> =>
  (await status(queue)).runs.find(({ id }) => id === run_id)?.heartbeat ?? 0;

const FAST = { leaseMs: 60_000, everyMs: 1 };

it('a run records its host, writes heartbeats from its start, and no event for them', async () => {
  const queue = await openTestQueue();
  const run_id = await startRun(queue, identify(process.pid));
  expect((await status(queue)).runs).toMatchObject([
    { ...identify(process.pid), host: hostname(), heartbeat: expect.any(Number) },
  ]);
  const first = await heartbeatOf(queue, run_id);
  const heartbeat = keepHeartbeat(queue, run_id, FAST);
  await expect.poll(() => heartbeatOf(queue, run_id)).toBeGreaterThan(first);
  await heartbeat.stop();
  const last = await heartbeatOf(queue, run_id);
  await stopRun(queue, run_id, 'finished');
  expect(await heartbeatOf(queue, run_id)).toBe(0);
  expect(last).toBeGreaterThan(first);
  expect((await changesSince(queue, 0)).map(({ kind }) => kind)).toEqual(['run.started', 'run.ended']);
});

it('a failed heartbeat does not end the run, and the next one is written', async () => {
  const queue = await openTestQueue();
  const run_id = await startRun(queue, identify(process.pid));
  const first = await heartbeatOf(queue, run_id);
  let failed = 0;
  const store: typeof queue.store = {
    ...queue.store,
    writeAside: (work) => (++failed <= 2 ? Promise.reject(new Error('disk full')) : queue.store.write(work)),
  };
  const heartbeat = keepHeartbeat({ ...queue, store }, run_id, FAST);
  await expect.poll(() => heartbeatOf(queue, run_id)).toBeGreaterThan(first);
  await heartbeat.stop();
  expect(failed).toBeGreaterThan(2);
});

const CONTAINER = { ...identify(process.pid), host: 'box', pid_namespace: 'pid:[7]', pid: 4 };

it('a run in another container keeps the queue while its lease runs, and the refusal says so', async () => {
  const opened = await openTestQueue();
  const queue: Queue = { ...opened, store: { ...opened.store, isShared: false } };
  await startRun(queue, CONTAINER);
  const [run] = (await status(queue)).runs;
  const [since, beat] = [localTime(run?.started ?? 0), localTime(run?.heartbeat ?? 0)];
  await expect(startRunAlone(queue, identify(process.pid), liveness)).rejects.toThrow(
    `Another ralph run is at work here: pid 4 on box, since ${since}. It cannot be seen from here; its last heartbeat was at ${beat}. Wait for it, or end it there: without a heartbeat it counts as dead after 60 seconds.`,
  );
  const another = await openTestQueue();
  await startRun(another, CONTAINER, 'supervisor', { leaseMs: 0 });
  expect(await startRunAlone(another, identify(process.pid), liveness)).toBe(2);
});

it('a lease is on the clock of the database, whatever clock the process has', async () => {
  const queue = await openTestQueue();
  const hourAhead: Queue = { ...queue, now: () => Date.now() + 3_600_000 };
  const run_id = await startRun(hourAhead, CONTAINER, 'supervisor', { leaseMs: 0 });
  expect((await status(queue)).runs.map(liveness)).toEqual(['silent']);
  await queue.store.writeAside((db) => renewLease(db, run_id, 60_000));
  expect((await status(hourAhead)).runs.map(liveness)).toEqual(['unseen']);
});

it('a lease is unbroken only if it is renewed before half of it is over, and an ended run cannot renew it', async () => {
  const queue = await openTestQueue();
  const renew = (run_id: number, leaseMs: number) =>
    queue.store.writeAside((db) => renewLease(db, run_id, leaseMs));
  const lease = async () => (await status(queue)).runs[0]?.lease;
  const run_id = await startRun(queue, CONTAINER, 'supervisor', { leaseMs: 60_000 });
  await expect.poll(async () => (await lease())?.unbroken_ms).toBeGreaterThan(5);
  expect(await renew(run_id, 1)).toBe(true);
  expect(await lease()).toMatchObject({ length_ms: 1 });
  expect((await lease())?.unbroken_ms).toBeGreaterThan(5);
  // It begins anew: it is no older than this moment.
  const before = await queue.store.now();
  expect(await renew(run_id, 60_000)).toBe(true);
  const unbroken_ms = (await lease())?.unbroken_ms;
  expect(unbroken_ms).toBeLessThanOrEqual((await queue.store.now()) - before);
  await stopRun(queue, run_id, 'lost');
  let lost = 0;
  const heartbeat = keepHeartbeat(queue, run_id, FAST, { onLost: () => void lost++ });
  await expect.poll(() => lost).toBeGreaterThan(0);
  await heartbeat.stop();
  expect(await renew(run_id, 60_000)).toBe(false);
});
