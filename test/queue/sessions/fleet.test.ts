import { expect, it } from 'vitest';
import { identify, liveness } from '../../../src/host/processes/process-identity.ts';
import { readFleet, stopHost } from '../../../src/queue/sessions/fleet.ts';
import { findStopRequest } from '../../../src/queue/sessions/request-stop.ts';
import { startRun } from '../../../src/queue/sessions/runs.ts';
import { addTask } from '../../../src/queue/tasks/add.ts';
import { claim } from '../../../src/queue/tasks/claim.ts';
import { fleetText } from '../../../src/text/fleet-text.ts';
import { newSessionId, openTestQueue } from '../../support/queue.ts';

const FAR = { ...identify(process.pid), host: 'build-2', boot: 'another', pid: 4711 };

it('the fleet lists machines, their leases and sessions, and a host is drained by an event to each of its runs', async () => {
  const queue = await openTestQueue();
  await addTask(queue, { title: `A task with a long title ${'that goes on '.repeat(10)}` });
  const about = { root: '/srv/webshop', jobs: 4, version: '1.2.3' };
  const far = await startRun(queue, FAR, 'supervisor', about);
  const silent = await startRun(queue, { ...FAR, host: 'build-3' }, 'supervisor', { leaseMs: 0 });
  await claim(queue, { run_id: far, session_id: newSessionId() });
  expect(await readFleet(queue, liveness)).toMatchObject([
    {
      host: 'build-2',
      runs: [{ id: far, ...about, liveness: 'unseen', stopping: null, sessions: [{ task_id: 1 }] }],
    },
    { host: 'build-3', runs: [{ id: silent, liveness: 'silent', sessions: [] }] },
  ]);
  await expect(stopHost(queue, 'build-3', 'after', liveness)).rejects.toThrow(
    'The machine "build-3" has no run at work; did you mean "build-2"? Nothing was changed.',
  );
  expect(await stopHost(queue, 'build-2', 'after', liveness)).toEqual([far]);
  expect(await stopHost(queue, 'build-2', 'after', liveness)).toEqual([far]);
  expect(await findStopRequest(queue, far)).toBe('after');
  const shown = fleetText(await readFleet(queue, liveness), [{ task_id: 1, title: 'One' }], 2_000, {
    columns: 80,
    color: false,
  });
  for (const line of shown.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  expect(shown).toMatch(
    /^build-2\n {2}run 1 {2}drains, 1 of 4 at work +heartbeat .+ ago +pid 4711\n {4}▶ #1 A task/,
  );
  expect(shown).toMatch(/^ {2}run 2 {2}does not answer +no heartbeat for /m);
  expect(shown).toContain('1. #1 One');
});
