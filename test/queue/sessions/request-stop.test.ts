import { expect, it } from 'vitest';
import { changesSince, lastChangeId } from '../../../src/queue/queue.ts';
import { findStopRequest, requestStop } from '../../../src/queue/sessions/request-stop.ts';
import { startRun, stopRun } from '../../../src/queue/sessions/runs.ts';
import { openTestQueue } from '../../support/queue.ts';

const HERE = { pid: process.pid, process_started: null };
const alive = () => true;

it('repeated stop requests write one event for each kind, and the stronger one holds', async () => {
  const queue = await openTestQueue();
  const [run_id, other] = [await startRun(queue, HERE), await startRun(queue, HERE)];
  const before = await lastChangeId(queue);
  expect(await findStopRequest(queue, run_id)).toBe(null);
  await requestStop(queue, run_id, 'after', alive);
  await requestStop(queue, run_id, 'after', alive);
  expect(await findStopRequest(queue, run_id)).toBe('after');
  await requestStop(queue, run_id, 'now', alive);
  await requestStop(queue, run_id, 'after', alive);
  expect(await findStopRequest(queue, run_id)).toBe('now');
  expect(await findStopRequest(queue, other)).toBe(null);
  expect(await changesSince(queue, before)).toMatchObject([
    { kind: 'run.stop_asked', run_id, data: { when: 'after' } },
    { kind: 'run.stop_asked', run_id, data: { when: 'now' } },
  ]);
});

it('a run that cannot be stopped is refused with the reason', async () => {
  const queue = await openTestQueue();
  await stopRun(queue, await startRun(queue, HERE), 'finished');
  await startRun(queue, HERE, 'interactive');
  await startRun(queue, HERE);
  const before = await lastChangeId(queue);
  await expect(requestStop(queue, 9, 'now', alive)).rejects.toThrow('There is no run 9');
  await expect(requestStop(queue, 1, 'now', alive)).rejects.toThrow('Run 1 has ended already');
  await expect(requestStop(queue, 2, 'now', alive)).rejects.toThrow('Run 2 belongs to an MCP client');
  await expect(requestStop(queue, 3, 'now', () => false)).rejects.toThrow('The process of run 3 is gone');
  expect(await lastChangeId(queue)).toBe(before);
});
