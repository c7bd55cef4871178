import { expect, it } from 'vitest';
import { isAlive } from '../../../src/host/processes/process-identity.ts';
import { startRun } from '../../../src/queue/sessions/runs.ts';
import { addTask } from '../../../src/queue/tasks/add.ts';
import { claim } from '../../../src/queue/tasks/claim.ts';
import { lackingLabels, peek } from '../../../src/queue/tasks/status.ts';
import { why } from '../../../src/queue/tasks/why.ts';
import { newSessionId, openTestQueue } from '../../support/queue.ts';

it('a task is claimed only by a run that has every label that it needs', async () => {
  const queue = await openTestQueue();
  const run_id = await startRun(queue, { pid: process.pid, process_started: null });
  const take = (labels?: string[], beside: number[] = []) =>
    claim(queue, { run_id, session_id: newSessionId(), beside, ...(labels && { labels }) });
  await addTask(queue, { title: 'Plain' });
  await addTask(queue, { title: 'Needs both', needs: ['gpu', 'linux'] });
  expect((await take())?.task.id).toBe(1);
  for (const labels of [undefined, ['gpu'], ['linux', 'arm']]) {
    expect(await take(labels)).toBeNull();
    // Beside a running task, Ralph chooses in another way.
    expect(await take(labels, [1])).toBeNull();
  }
  expect(await peek(queue, ['gpu'])).toBeNull();
  expect(await lackingLabels(queue, ['gpu'])).toEqual([{ id: 2, lacks: ['linux'] }]);
  expect((await why(queue, 2, isAlive)).reasons).toContainEqual({ kind: 'labels', needs: ['gpu', 'linux'] });
  expect((await take(['linux', 'gpu', 'arm'], [1]))?.task).toMatchObject({ id: 2, needs: ['gpu', 'linux'] });
});
