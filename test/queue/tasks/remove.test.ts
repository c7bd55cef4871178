import { expect, it } from 'vitest';
import { createFeature } from '../../../src/queue/definitions/edit.ts';
import { removeFeature } from '../../../src/queue/definitions/remove.ts';
import { startRun } from '../../../src/queue/sessions/runs.ts';
import { addTask } from '../../../src/queue/tasks/add.ts';
import { claim } from '../../../src/queue/tasks/claim.ts';
import { addContextFile } from '../../../src/queue/tasks/context-files.ts';
import { retry } from '../../../src/queue/tasks/decide.ts';
import { editTask } from '../../../src/queue/tasks/edit.ts';
import { list } from '../../../src/queue/tasks/list.ts';
import { removeTasks } from '../../../src/queue/tasks/remove.ts';
import { show } from '../../../src/queue/tasks/show.ts';
import { status } from '../../../src/queue/tasks/status.ts';
import { newSessionId, openTestQueue, runSession } from '../../support/queue.ts';

const remove = (queue: Parameters<typeof removeTasks>[0], ids: number[], replacement: number | null = null) =>
  removeTasks(queue, { ids, replacement }, { verify: false });

it('a task without a history is erased, and its number never comes back', async () => {
  const queue = await openTestQueue();
  await addTask(queue, { title: 'Typed by mistake' });
  expect(await remove(queue, [1])).toEqual([{ id: 1, title: 'Typed by mistake', archived: false }]);
  await expect(show(queue, 1)).rejects.toThrow('There is no task 1');
  expect((await addTask(queue, { title: 'The right one' })).id).toBe(2);
});

it('tasks without a history that wait for each other are erased together, in any order', async () => {
  const queue = await openTestQueue();
  await addTask(queue, { title: 'First' });
  await addTask(queue, { title: 'Second', depends_on: [1] });
  await addTask(queue, { title: 'Third', depends_on: [2] });
  expect((await remove(queue, [1, 3, 2])).map(({ id, archived }) => [id, archived])).toEqual([
    [1, false],
    [3, false],
    [2, false],
  ]);
  expect(await list(queue, { archived: 'only' })).toEqual([]);
});

it('a task with a history is archived: out of lists and counts, never ready, and still shown by its number', async () => {
  const queue = await openTestQueue();
  await addTask(queue, { title: 'Tried once' });
  await addTask(queue, { title: 'Other' });
  await runSession(queue, [{ verb: 'partial', summary: 's', remaining: 'r' }]);
  expect(await remove(queue, [1])).toEqual([{ id: 1, title: 'Tried once', archived: true }]);
  expect((await list(queue, {})).map(({ id }) => id)).toEqual([2]);
  expect((await list(queue, { archived: 'only' })).map(({ id }) => id)).toEqual([1]);
  expect(await status(queue)).toMatchObject({ counts: { pending: 1, skipped: 0 }, next: { id: 2 } });
  expect(await show(queue, 1)).toMatchObject({ status: 'skipped', sessions: [{ outcome: 'partial' }] });
  await expect(remove(queue, [1])).rejects.toThrow('Task 1 was removed already');
  await addTask(queue, { title: 'Waits', depends_on: [2] });
  await expect(remove(queue, [2], 1)).rejects.toThrow('Task 1 was removed; name another task.');
  await remove(queue, [3]);
  await retry(queue, [1]);
  expect((await list(queue, {})).map(({ id, archived }) => [id, archived])).toEqual([
    [1, null],
    [2, null],
  ]);
});

it('what waits for a removed task is named, and gets another dependency or keeps the task', async () => {
  const queue = await openTestQueue();
  for (const title of ['One', 'Two']) await addTask(queue, { title });
  await addTask(queue, { title: 'Waits', depends_on: [1] });
  await addTask(queue, { title: 'Waits too', depends_on: [1, 2] });
  await expect(remove(queue, [1])).rejects.toThrow(
    'Tasks 3, 4 would lose a dependency; name a task to wait for instead with --replace-with ID, or change them first: ralph edit 3 --depends-on "".',
  );
  await expect(remove(queue, [1], 3)).rejects.toThrow('Task 3 cannot depend on itself');
  await expect(remove(queue, [1], 9)).rejects.toThrow('There is no task 9');
  expect((await list(queue, {})).map(({ depends_on }) => depends_on)).toEqual([[], [], [1], [1, 2]]);
  await remove(queue, [1], 2);
  expect((await list(queue, {})).map(({ id, depends_on }) => [id, depends_on])).toEqual([
    [2, []],
    [3, [2]],
    [4, [2]],
  ]);
  // Removed together, they need nothing in each other's place.
  await remove(queue, [2, 3, 4]);
  expect(await list(queue, {})).toEqual([]);
});

it('a feature that an agent gave a file is removed with it, once its tasks belong elsewhere', async () => {
  const queue = await openTestQueue();
  for (const name of ['auth', 'login']) await createFeature(queue, { name, fields: {} });
  await addTask(queue, { title: 'Find it', feature: 'auth' });
  const run_id = await startRun(queue, { pid: process.pid, process_started: null });
  const session_id = newSessionId();
  await claim(queue, { run_id, session_id });
  await addContextFile(queue, session_id, 'src/auth.ts', 'feature');
  await expect(removeFeature(queue, 'auth')).rejects.toThrow('Task 1 belongs to feature "auth"');
  await editTask(queue, 1, { feature: 'login' });
  await removeFeature(queue, 'auth');
  await expect(removeFeature(queue, 'auth')).rejects.toThrow('There is no feature "auth"');
});
