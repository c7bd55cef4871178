import { expect, it } from 'vitest';
import { openTrain, type Train } from '../../src/host/landing/train.ts';
import { identify } from '../../src/host/processes/process-identity.ts';
import { closeQueue, type Queue } from '../../src/queue/queue.ts';
import { startRun } from '../../src/queue/sessions/runs.ts';
import { addTask } from '../../src/queue/tasks/add.ts';
import { claim } from '../../src/queue/tasks/claim.ts';
import { withFleetLine } from '../../src/supervisor/ground/fleet-line.ts';
import { newSessionId, openTestQueue } from '../support/queue.ts';

async function openSession(queue: Queue): Promise<string> {
  await addTask(queue, { title: 'One' });
  const run_id = await startRun(queue, identify(process.pid), 'supervisor', { leaseMs: 60_000 });
  const session_id = newSessionId();
  await claim(queue, { run_id, session_id });
  return session_id;
}

/** As of one machine. */
const openLine = (queue: Queue, stop = new AbortController().signal): Train =>
  withFleetLine(openTrain(), { queue, stop, later: () => {} });

it('a session lands only after that of another machine has left', async () => {
  const queue = await openTestQueue();
  const [one, other] = [openLine(queue), openLine(queue)];
  const [first, second] = [await openSession(queue), await openSession(queue)];
  const order: string[] = [];
  await one.enter(first, 1);
  const waiting = other.enter(second, 2).then(() => order.push('the second may land'));
  await one.enter(first, 1);
  order.push('the first leaves');
  one.leave(first);
  await waiting;
  expect(order).toEqual(['the first leaves', 'the second may land']);
});

it('a session that leaves or is stopped while it waits ends its wait, and holds up nobody', async () => {
  const queue = await openTestQueue();
  const stop = new AbortController();
  const [one, other, third] = [openLine(queue), openLine(queue, stop.signal), openLine(queue)];
  const [first, second, last] = [
    await openSession(queue),
    await openSession(queue),
    await openSession(queue),
  ];
  await one.enter(first, 1);
  const stopped = other.enter(second, 2);
  stop.abort();
  await stopped;
  other.leave(second);
  const left = third.enter(last, 3);
  third.leave(last);
  await left;
  one.leave(first);
  await one.enter(await openSession(queue), 4);
});

it('a session goes on if the queue is gone', async () => {
  const queue = await openTestQueue();
  const session_id = await openSession(queue);
  await closeQueue(queue);
  const line = openLine(queue);
  await line.enter(session_id, 1);
  line.leave(session_id);
});
