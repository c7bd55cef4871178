import { describe, expect, it } from 'vitest';
import type { Definitions, TaskDefinition } from '../../../src/domain/definition.ts';
import { applyDefinitions } from '../../../src/queue/definitions/apply-definitions.ts';
import type { Queue } from '../../../src/queue/queue.ts';
import { addTask } from '../../../src/queue/tasks/add.ts';
import { skip } from '../../../src/queue/tasks/decide.ts';
import { editTask } from '../../../src/queue/tasks/edit.ts';
import { list } from '../../../src/queue/tasks/list.ts';
import { show } from '../../../src/queue/tasks/show.ts';
import { peek } from '../../../src/queue/tasks/status.ts';
import { openTestQueue, runSession } from '../../support/queue.ts';

const none: Definitions = { project: {}, disciplines: [], features: [], tasks: [], learnings: [] };
const task = (
  definition: Partial<TaskDefinition> & { fields: TaskDefinition['fields'] },
): TaskDefinition => ({
  at: `tasks.yaml:${definition.id ?? 0}`,
  state: {},
  ...definition,
});
const sync = (queue: Queue, ...tasks: TaskDefinition[]) =>
  applyDefinitions(queue, { ...none, tasks }, 'sync');

describe('definitions own the fields they give', () => {
  it('a sync changes only fields that the file gives: state and other fields stay', async () => {
    const queue = await openTestQueue();
    await sync(queue, task({ id: 1, fields: { title: 'one', hints: 'look' } }));
    await editTask(queue, 1, { pseudocode: 'enriched' });
    await runSession(queue, [{ verb: 'stuck', reason: 'no' }]);
    await sync(queue, task({ id: 1, fields: { title: 'renamed' }, state: { status: 'done', attempts: 7 } }));
    expect(await show(queue, 1)).toMatchObject({
      title: 'renamed',
      hints: null,
      pseudocode: 'enriched',
      status: 'pending',
      attempts: 0,
      stuck_count: 1,
    });
  });

  it('a tool cannot change a field that a definition file owns', async () => {
    const queue = await openTestQueue();
    await sync(queue, task({ id: 1, fields: { title: 'one' } }));
    await expect(editTask(queue, 1, { title: 'other' })).rejects.toThrow(
      'The title of task 1 is defined in .ralph/tasks.yaml; change it there.',
    );
    await editTask(queue, 1, { priority: 'high' });
  });

  it('a definition file sets the status only of a task that it adds', async () => {
    const queue = await openTestQueue();
    await sync(
      queue,
      task({ id: 1, fields: { title: 'done' }, state: { status: 'done' } }),
      task({ id: 2, fields: { title: 'waits' }, depends_on: [1] }),
      task({ id: 3, fields: { title: 'was running' }, state: { status: 'in_progress' } }),
      task({ id: 4, fields: { title: 'has no question' }, state: { status: 'needs_input' } }),
      task({ id: 5, fields: { title: 'has no blocker' }, state: { status: 'blocked' } }),
      task({ id: 6, fields: { title: 'has one' }, state: { status: 'blocked', blocked_by: 'vendor' } }),
      task({ id: 7, fields: { title: 'waits' }, depends_on: [2], state: { status: 'blocked' } }),
    );
    expect((await list(queue, {})).map(({ status }) => status)).toEqual([
      'done',
      'pending',
      'pending',
      'pending',
      'pending',
      'blocked',
      'blocked',
    ]);
    expect((await peek(queue))?.id).toBe(2);
    await skip(queue, [2]);
    expect((await show(queue, 7)).status).toBe('pending');
  });
});

describe('ids', () => {
  it('a definition without an id finds its task by title', async () => {
    const queue = await openTestQueue();
    const entry = task({ fields: { title: 'one' } });
    expect(await sync(queue, entry)).toEqual({ added: 1, updated: 0, unchanged: 0 });
    expect(await sync(queue, { ...entry, fields: { title: 'one', priority: 'low' } })).toEqual({
      added: 0,
      updated: 1,
      unchanged: 0,
    });
    expect(await list(queue, {})).toMatchObject([{ id: 1, priority: 'low' }]);
  });

  it('a definition does not overwrite a task that a tool created under its id', async () => {
    const queue = await openTestQueue();
    await addTask(queue, { title: 'from the command line' });
    await expect(sync(queue, task({ id: 1, fields: { title: 'from the file' } }))).rejects.toThrow(
      'tasks.yaml:1: id 1 belongs to the task "from the command line"; use another id, or the same title.',
    );
  });

  it('an id that is used twice is refused with both places', async () => {
    const queue = await openTestQueue();
    const twice = [
      task({ id: 1, fields: { title: 'a' } }),
      { ...task({ id: 1, fields: { title: 'b' } }), at: 'tasks.yaml:9' },
    ];
    await expect(sync(queue, ...twice)).rejects.toThrow('tasks.yaml:9: id 1 is already used at tasks.yaml:1');
  });
});

describe('definitions are applied all or nothing', () => {
  it.each([
    [
      'an unknown feature',
      task({ id: 2, fields: { title: 'b', feature: 'auht' } }),
      'names the feature "auht", but there is no such feature; did you mean "auth"?',
    ],
    [
      'a missing dependency',
      task({ id: 2, fields: { title: 'b' }, depends_on: [9] }),
      'tasks.yaml:2: task 2 cannot depend on task 9: there is no task 9; ralph list shows all tasks.',
    ],
    ['a cycle', task({ id: 2, fields: { title: 'b' }, depends_on: [2] }), /cycle 2 → 2/],
    [
      'a missing parent',
      task({ id: 2, fields: { title: 'b', parent: 9 } }),
      'cannot have the parent 9: there is no task 9; ralph list shows all tasks.',
    ],
  ])('definitions with %s change nothing', async (_, wrong, message) => {
    const queue = await openTestQueue();
    const features = [{ at: 'features.yaml:2', name: 'auth', fields: {} }];
    const definitions = { ...none, features, tasks: [task({ id: 1, fields: { title: 'a' } }), wrong] };
    await expect(applyDefinitions(queue, definitions, 'sync')).rejects.toThrow(message);
    expect(await list(queue, {})).toEqual([]);
    expect(await queue.store.read((db) => db.selectFrom('features').selectAll().execute())).toEqual([]);
  });
});

it('a sync can reverse a dependency without a cycle', async () => {
  const queue = await openTestQueue();
  await sync(
    queue,
    task({ id: 1, fields: { title: 'a' }, depends_on: [2] }),
    task({ id: 2, fields: { title: 'b' } }),
  );
  await sync(
    queue,
    task({ id: 1, fields: { title: 'a' } }),
    task({ id: 2, fields: { title: 'b' }, depends_on: [1] }),
  );
  expect((await list(queue, {})).map(({ depends_on, open_blockers }) => [depends_on, open_blockers])).toEqual(
    [
      [[], 0],
      [[1], 1],
    ],
  );
});

it("tasks follow their feature's priority, also after it changes", async () => {
  const queue = await openTestQueue();
  const feature = (name: string, priority: number) => ({ at: 'f', name, fields: { priority } });
  const tasks = [
    task({ id: 1, fields: { title: 'a', feature: 'late' } }),
    task({ id: 2, fields: { title: 'b', feature: 'soon' } }),
  ];
  await applyDefinitions(
    queue,
    { ...none, features: [feature('late', 2), feature('soon', 1)], tasks },
    'sync',
  );
  expect((await peek(queue))?.id).toBe(2);
  await applyDefinitions(
    queue,
    { ...none, features: [feature('late', 1), feature('soon', 2)], tasks },
    'sync',
  );
  expect((await peek(queue))?.id).toBe(1);
});

it('features that depend on each other in a cycle are refused', async () => {
  const queue = await openTestQueue();
  const feature = (name: string, dependencies: string[]) => ({
    at: `features.yaml:${name}`,
    name,
    fields: { dependencies },
  });
  const features = [feature('a', ['b']), feature('b', ['a'])];
  await expect(applyDefinitions(queue, { ...none, features }, 'sync')).rejects.toThrow(
    /features\.yaml:a: .* cycle: a → b → a/,
  );
});

it('a sync keeps a dependency that an agent added', async () => {
  const queue = await openTestQueue();
  const entries = [
    task({ id: 1, fields: { title: 'a', priority: 'high' }, depends_on: [] }),
    task({ id: 2, fields: { title: 'b' } }),
  ];
  await sync(queue, ...entries);
  await runSession(queue, [
    { verb: 'blocked', on: '2', kind: 'upstream_task' },
    { verb: 'partial', summary: '', remaining: '' },
  ]);
  await sync(queue, ...entries);
  expect(await show(queue, 1)).toMatchObject({ status: 'blocked', depends_on: [2] });
});

it('a field that left its file belongs to the database again', async () => {
  const queue = await openTestQueue();
  await sync(queue, task({ id: 1, fields: { title: 'a' } }));
  await sync(queue);
  expect(await editTask(queue, 1, { title: 'renamed' })).toMatchObject({ title: 'renamed' });
});

it('one sync changes a thousand tasks of five hundred features', async () => {
  const queue = await openTestQueue();
  const features = Array.from({ length: 500 }, (_, index) => ({ at: 'f', name: `f${index}`, fields: {} }));
  const tasks = (priority: 'low' | 'high') =>
    Array.from({ length: 1_000 }, (_, index) =>
      task({ id: index + 1, fields: { title: `t${index}`, feature: `f${index % 500}`, priority } }),
    );
  await applyDefinitions(queue, { ...none, features, tasks: tasks('low') }, 'sync');
  expect(await applyDefinitions(queue, { ...none, features, tasks: tasks('high') }, 'sync')).toEqual({
    added: 0,
    updated: 1_000,
    unchanged: 500,
  });
});

it('the order and repetition of feature dependencies make no difference', async () => {
  const queue = await openTestQueue();
  const features = ['a', 'b'].map((name) => ({ at: 'f', name, fields: {} }));
  const c = { at: 'f', name: 'c', fields: { dependencies: ['a', 'b'] } };
  await applyDefinitions(queue, { ...none, features: [...features, c] }, 'sync');
  expect(await applyDefinitions(queue, { ...none, features: [...features, c] }, 'sync')).toEqual({
    added: 0,
    updated: 0,
    unchanged: 3,
  });
});
