import { hostname } from 'node:os';
import { expect, it } from 'vitest';
import { HEARTBEAT_LIMIT_MS } from '../../../src/domain/sessions/liveness.ts';
import { localTime } from '../../../src/domain/text/amounts.ts';
import { identify, liveness } from '../../../src/host/processes/process-identity.ts';
import { changesSince, type Queue } from '../../../src/queue/queue.ts';
import { keepHeartbeat } from '../../../src/queue/sessions/heartbeat.ts';
import { startRun, startRunAlone, stopRun } from '../../../src/queue/sessions/runs.ts';
import { status } from '../../../src/queue/tasks/status.ts';
import { openTestQueue } from '../../support/queue.ts';

const heartbeatOf = async (queue: Queue, run_id: number): Promise<number> =>
  (await status(queue)).runs.find(({ id }) => id === run_id)?.heartbeat ?? 0;

it('a run records its host, writes heartbeats from its start, and no event for them', async () => {
  const queue = await openTestQueue();
  const run_id = await startRun(queue, identify(process.pid));
  expect((await status(queue)).runs).toMatchObject([
    { ...identify(process.pid), host: hostname(), heartbeat: expect.any(Number) },
  ]);
  const first = await heartbeatOf(queue, run_id);
  const heartbeat = keepHeartbeat(queue, run_id, 1);
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
    write: (work) => (++failed <= 2 ? Promise.reject(new Error('disk full')) : queue.store.write(work)),
  };
  const heartbeat = keepHeartbeat({ ...queue, store }, run_id, 1);
  await expect.poll(() => heartbeatOf(queue, run_id)).toBeGreaterThan(first);
  await heartbeat.stop();
  expect(failed).toBeGreaterThan(2);
});

it('a run in another container keeps the queue while its heartbeat is fresh, and the refusal says so', async () => {
  const opened = await openTestQueue();
  const container = { ...identify(process.pid), host: 'box', pid_namespace: 'pid:[7]', pid: 4 };
  const started = Date.now() - HEARTBEAT_LIMIT_MS / 2;
  await startRun({ ...opened, now: () => started }, container);
  const queue: Queue = { ...opened, now: Date.now };
  const at = localTime(started);
  await expect(startRunAlone(queue, identify(process.pid), liveness)).rejects.toThrow(
    `Another ralph run is at work here: pid 4 on box, since ${at}. It cannot be seen from here; its last heartbeat was at ${at}. Wait for it, or end it there: without a heartbeat it counts as dead after 2 minutes.`,
  );
  const another = await openTestQueue();
  const silent: Queue = { ...another, now: () => Date.now() - HEARTBEAT_LIMIT_MS };
  await startRun(silent, container);
  expect(await startRunAlone(another, identify(process.pid), liveness)).toBe(2);
});
