import { expect, it } from 'vitest';
import { orphanedTasks, startRun } from '../../../src/queue/sessions/runs.ts';
import { addTasks } from '../../../src/queue/tasks/add.ts';
import { claim } from '../../../src/queue/tasks/claim.ts';
import { skip } from '../../../src/queue/tasks/decide.ts';
import { list } from '../../../src/queue/tasks/list.ts';
import { taskCounts } from '../../../src/queue/tasks/status.ts';
import { waitingOn } from '../../../src/queue/tasks/waiting-on.ts';
import { why } from '../../../src/queue/tasks/why.ts';
import { openTestQueue, runSession } from '../../support/queue.ts';

const NOTHING = { waits_for: [], feature_status: null, question: null, flag: null, session: null };

it('each task comes with its direct dependencies, its blocking question and its open session', async () => {
  const queue = await openTestQueue();
  await addTasks(queue, [
    { title: 'Asks' },
    { title: 'Runs' },
    { title: 'Skipped', depends_on: [1] },
    { title: 'Waits', depends_on: [1, 2, 3] },
    { title: 'Waits behind', depends_on: [4] },
    { title: 'Ready' },
  ]);
  await skip(queue, [3]);
  await runSession(queue, [
    { verb: 'ask', question: 'Which zone?', blocking: true },
    { verb: 'ask', question: 'Which colour?', blocking: false },
    { verb: 'partial', summary: 's', remaining: 'r' },
  ]);
  const run_id = await startRun(queue, { pid: process.pid, process_started: null });
  const claimed = await claim(queue, { run_id, session_id: 'at-it', root: '/tree' });
  const isAlive = ({ pid }: { pid: number }): boolean => pid === process.pid;
  const held = await waitingOn(queue, await list(queue, {}), isAlive);
  expect(Object.fromEntries(held)).toEqual({
    1: { ...NOTHING, question: { id: 1, question: 'Which zone?' } },
    2: {
      ...NOTHING,
      session: { id: 'at-it', started: claimed?.session.started, root: '/tree', isAlive: true },
    },
    3: NOTHING,
    4: { ...NOTHING, waits_for: [1, 2] },
    5: { ...NOTHING, waits_for: [4] },
    6: NOTHING,
  });
  expect(await waitingOn(queue, [], isAlive)).toEqual(new Map());
  expect((await why(queue, 2, isAlive)).reasons).toMatchObject([{ kind: 'running', session_id: 'at-it' }]);
  expect(await orphanedTasks(queue, isAlive)).toEqual(new Set());

  const nobody = (): boolean => false;
  expect((await waitingOn(queue, await list(queue, {}), nobody)).get(2)?.session).toMatchObject({
    isAlive: false,
  });
  expect((await why(queue, 2, nobody)).reasons).toEqual([
    { kind: 'left_behind', session_id: 'at-it', root: '/tree' },
  ]);
  expect(await orphanedTasks(queue, nobody)).toEqual(new Set([2]));
});

it('task counts split by status word, and ignore the statuses of the search', async () => {
  const queue = await openTestQueue();
  await addTasks(queue, [
    { title: 'Build the shop' },
    { title: 'Paint the shop', depends_on: [1] },
    { title: 'Sell the shop', draft: true },
    { title: 'Rest' },
  ]);
  const counts = await taskCounts(queue, { text: 'shop', statuses: ['done'] });
  expect(counts).toMatchObject({ ready: 1, waiting: 1, pending: 2, draft: 1, done: 0 });
  expect((await taskCounts(queue, {})).ready).toBe(2);
});
