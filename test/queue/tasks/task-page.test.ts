import { expect, it } from 'vitest';
import type { StatusWord } from '../../../src/domain/tasks/status.ts';
import { createDiscipline, createFeature } from '../../../src/queue/definitions/edit.ts';
import type { Queue } from '../../../src/queue/queue.ts';
import { startRun } from '../../../src/queue/sessions/runs.ts';
import { addTask, addTasks } from '../../../src/queue/tasks/add.ts';
import { claim } from '../../../src/queue/tasks/claim.ts';
import { skip } from '../../../src/queue/tasks/decide.ts';
import { type TaskSearch, taskPage } from '../../../src/queue/tasks/task-page.ts';
import { newSessionId, openTestQueue, runSession } from '../../support/queue.ts';

const ALL = { limit: 100, offset: 0 };
const found = async (queue: Queue, search: TaskSearch): Promise<number[]> =>
  (await taskPage(queue, { ...search, ...ALL })).tasks.map(({ id }) => id);

it('a task page holds one page of the matches in the order of ids, and their total', async () => {
  const queue = await openTestQueue();
  await addTasks(
    queue,
    Array.from({ length: 7 }, (_, index) => ({ title: `Task ${index}` })),
  );
  const { tasks, total } = await taskPage(queue, { limit: 3, offset: 3 });
  expect([tasks.map(({ id }) => id), total]).toEqual([[4, 5, 6], 7]);
  expect(await taskPage(queue, { limit: 3, offset: 9 })).toEqual({ tasks: [], total: 7 });
  expect(tasks[0]).not.toHaveProperty('feature_rank');
});

it('a task search separates ready from waiting, and accepts several statuses', async () => {
  const queue = await openTestQueue();
  await addTasks(queue, [{ title: 'a' }, { title: 'b', depends_on: [1] }, { title: 'c' }, { title: 'd' }]);
  await addTask(queue, { title: 'e', draft: true });
  await skip(queue, [3]);
  const resume_at = 1_000_000;
  await runSession(queue, [], { end: { kind: 'infrastructure', fault: 'usage_limit', resume_at } });
  const by = (...statuses: StatusWord[]) => found(queue, { statuses });
  // The first one waits for its time.
  expect(await by('ready')).toEqual([4]);
  expect(await by('waiting')).toEqual([1, 2]);
  expect(await by('pending')).toEqual([1, 2, 4]);
  expect(await by('skipped', 'draft', 'ready')).toEqual([3, 4, 5]);
  expect(await by()).toEqual([1, 2, 3, 4, 5]);
});

it('a task search finds literal text in title and description in any case, and a task by its id', async () => {
  const queue = await openTestQueue();
  await createFeature(queue, { name: 'auth', fields: {} });
  await createDiscipline(queue, { name: 'docs', fields: {} });
  await addTasks(queue, [
    { title: '100% of ÄRGER', feature: 'auth' },
    { title: 'One', description: 'See task_3 and 100x', discipline: 'docs' },
    { title: 'Task 2 again', feature: 'auth', discipline: 'docs' },
  ]);
  expect(await found(queue, { text: '100%' })).toEqual([1]);
  expect(await found(queue, { text: 'ärger' })).toEqual([1]);
  expect(await found(queue, { text: 'K_3' })).toEqual([2]);
  expect(await found(queue, { text: ' #2 ' })).toEqual([2]);
  expect(await found(queue, { text: '2' })).toEqual([2, 3]);
  expect(await found(queue, { text: '"' })).toEqual([]);
  expect(await found(queue, { text: 'task', feature: 'auth' })).toEqual([3]);
  expect(await found(queue, { discipline: 'docs' })).toEqual([2, 3]);
  await expect(found(queue, { feature: 'auht' })).rejects.toThrow('There is no feature "auht"');
});

it('a task page shows tries, duration and cost of each task, the running session included', async () => {
  const queue = await openTestQueue();
  await addTasks(queue, [{ title: 'a' }, { title: 'b' }]);
  const usage = { model: null, turns: 1, input_tokens: 1, output_tokens: 1, cost_usd: 0.25 };
  for (let time = 0; time < 2; time++)
    await runSession(queue, [{ verb: 'partial', summary: 's', remaining: 'r' }], { usage });
  const { tasks } = await taskPage(queue, ALL);
  expect(tasks).toMatchObject([
    { id: 1, tries: 2, cost_usd: 0.5 },
    { id: 2, tries: 0, cost_usd: 0, duration_ms: 0 },
  ]);
  expect(tasks[0]?.duration_ms).toBeGreaterThan(0);
  const run_id = await startRun(queue, { pid: process.pid, process_started: null });
  await claim(queue, { run_id, session_id: newSessionId(), task_id: 2 });
  const [, running] = (await taskPage(queue, ALL)).tasks;
  expect(running).toMatchObject({ tries: 1, cost_usd: 0 });
  expect(running?.duration_ms).toBeGreaterThan(0);
});
