import { expect, it } from 'vitest';
import { addTask, addTasks } from '../../../src/queue/tasks/add.ts';
import { skip } from '../../../src/queue/tasks/decide.ts';
import { taskLinks } from '../../../src/queue/tasks/task-page.ts';
import { openTestQueue } from '../../support/queue.ts';

it('the links of a task name its dependencies, dependents and parent with their states', async () => {
  const queue = await openTestQueue();
  await addTasks(queue, [{ title: 'a' }, { title: 'b' }, { title: 'c', depends_on: [1, 2] }]);
  await addTasks(
    queue,
    Array.from({ length: 52 }, () => ({ title: 'd', depends_on: [3] })),
  );
  await addTask(queue, { title: 'part', parent: 3 });
  await skip(queue, [1]);
  const { depends_on, dependents, parent } = await taskLinks(queue, 3);
  expect(depends_on).toMatchObject({
    tasks: [
      { id: 1, status: 'skipped' },
      { id: 2, status: 'pending', open_blockers: 0 },
    ],
    more: 0,
  });
  expect([dependents.tasks.length, dependents.more, parent]).toEqual([50, 2, null]);
  expect(dependents.tasks[0]).toEqual({
    id: 4,
    title: 'd',
    status: 'pending',
    open_blockers: 1,
    not_before: null,
  });
  expect((await taskLinks(queue, 56)).parent).toMatchObject({ id: 3, title: 'c' });
  await expect(taskLinks(queue, 99)).rejects.toThrow('There is no task 99');
});
