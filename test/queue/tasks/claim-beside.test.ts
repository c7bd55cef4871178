import { expect, it } from 'vitest';
import { NotLanded } from '../../../src/domain/sessions/landing.ts';
import { createFeature } from '../../../src/queue/definitions/edit.ts';
import { recordJournaled } from '../../../src/queue/journal/journal.ts';
import type { Queue } from '../../../src/queue/queue.ts';
import { startRun } from '../../../src/queue/sessions/runs.ts';
import { addTasks } from '../../../src/queue/tasks/add.ts';
import { type ClaimInput, claim } from '../../../src/queue/tasks/claim.ts';
import { why } from '../../../src/queue/tasks/why.ts';
import { effectsWith, newSessionId, openTestQueue, runSession } from '../../support/queue.ts';

const done = { verb: 'done', summary: 'built it' } as const;
const partial = { verb: 'partial', summary: 'half', remaining: 'half' } as const;

/** Claims as one run; tells the id of the task and those that were passed over. */
async function claimer(queue: Queue) {
  const run_id = await startRun(queue, { pid: 1, process_started: null });
  return async (input: Partial<ClaimInput> = {}) => {
    const claimed = await claim(queue, { run_id, session_id: newSessionId(), ...input });
    return claimed === null ? null : { id: claimed.task.id, passed_over: claimed.passed_over };
  };
}

const wrote = (queue: Queue, session_id: string, feature: string | null, written: string[]) =>
  recordJournaled(queue, { session_id, feature, touched: written, written, auto_context: false });

it('beside a running task the next one is claimed that is to produce other files', async () => {
  const queue = await openTestQueue();
  await addTasks(queue, [
    { title: 'one', output_artifacts: ['a.ts'] },
    { title: 'two', output_artifacts: ['b.ts', 'a.ts'] },
    { title: 'three', output_artifacts: ['c.ts'] },
  ]);
  const next = await claimer(queue);
  expect(await next()).toEqual({ id: 1, passed_over: [] });
  expect(await next({ beside: [1] })).toEqual({ id: 3, passed_over: [2] });
  // Nothing else is ready, and `ralph why` says what it waits for.
  expect(await next({ beside: [1, 3] })).toBeNull();
  expect(await why(queue, 2, () => true)).toMatchObject({
    ready: true,
    reasons: [{ kind: 'files', task: { id: 1 }, files: ['a.ts'] }],
  });
  expect(await next({ beside: [3] })).toEqual({ id: 2, passed_over: [] });
});

it('without running tasks, and for a task that is named, the files decide nothing', async () => {
  const queue = await openTestQueue();
  await addTasks(queue, [
    { title: 'one', output_artifacts: ['a.ts'] },
    { title: 'two', output_artifacts: ['a.ts'] },
    { title: 'three' },
    { title: 'four', output_artifacts: ['a.ts'] },
  ]);
  const next = await claimer(queue);
  expect(await next({ beside: [] })).toEqual({ id: 1, passed_over: [] });
  expect(await next({ beside: [1], task_id: 4 })).toEqual({ id: 4, passed_over: [] });
});

it('no task is claimed that would keep one waiting that the caller passed over five times', async () => {
  const queue = await openTestQueue();
  await addTasks(queue, [
    { title: 'one', output_artifacts: ['a.ts'] },
    { title: 'two', output_artifacts: ['a.ts', 'c.ts'] },
    { title: 'three', output_artifacts: ['c.ts'] },
    { title: 'four' },
  ]);
  const next = await claimer(queue);
  await next();
  const passedOver = new Map([[2, 5]]);
  expect(await next({ beside: [1], passedOver })).toEqual({ id: 4, passed_over: [2, 3] });
});

it('what earlier sessions of a task wrote is likely to be written again', async () => {
  const queue = await openTestQueue();
  await addTasks(queue, [{ title: 'one', priority: 'high' }, { title: 'two' }, { title: 'three' }]);
  const { session_id } = await runSession(queue, [partial]);
  await wrote(queue, session_id, null, ['src/a.ts']);
  await queue.store.write((db) =>
    db.updateTable('tasks').set({ output_artifacts: '["src/a.ts"]' }).where('id', '=', 2).execute(),
  );
  const next = await claimer(queue);
  expect(await next()).toEqual({ id: 1, passed_over: [] });
  expect(await next({ beside: [1] })).toEqual({ id: 3, passed_over: [2] });
});

it('what at least half of the last five sessions of a feature wrote is likely for its other tasks', async () => {
  const queue = await openTestQueue();
  await createFeature(queue, { name: 'auth', fields: {} });
  const titles = ['1', '2', '3', '4', '5', '6', '7', '8'];
  await addTasks(
    queue,
    titles.map((title) => ({ title, feature: 'auth' })),
  );
  await addTasks(queue, [
    { title: 'routes', output_artifacts: ['routes.ts'], priority: 'low' },
    { title: 'rare', output_artifacts: ['rare.ts'], priority: 'low' },
  ]);
  // The oldest of these six does not count any more: two of the last five wrote rare.ts.
  const written = [
    ['rare.ts'],
    ['rare.ts', 'routes.ts'],
    ['rare.ts'],
    ['routes.ts'],
    ['routes.ts'],
    ['other.ts'],
  ];
  for (const files of written) {
    const { session_id } = await runSession(queue, [done]);
    await wrote(queue, session_id, 'auth', files);
  }
  const next = await claimer(queue);
  expect(await next()).toEqual({ id: 7, passed_over: [] });
  // Task 8 is of the same feature, and task 9 is to produce what the feature usually changes.
  expect(await next({ beside: [7] })).toEqual({ id: 10, passed_over: [8, 9] });
});

it('a task that met two conflicts in a row waits for what overlaps, even if nothing else is ready', async () => {
  const queue = await openTestQueue();
  await addTasks(queue, [
    { title: 'one', output_artifacts: ['a.ts'], priority: 'high' },
    { title: 'two', output_artifacts: ['a.ts'] },
  ]);
  const outrun = async (): Promise<never> => {
    throw new NotLanded({ kind: 'conflict', paths: ['a.ts'], onto: 'f'.repeat(40), others: [] });
  };
  const effects = { ...effectsWith(), commit: outrun };
  await runSession(queue, [done], { effects });
  await runSession(queue, [done], { effects });
  const next = await claimer(queue);
  expect(await next({ task_id: 2 })).toEqual({ id: 2, passed_over: [] });
  expect(await next({ beside: [2] })).toBeNull();
  expect(await next()).toEqual({ id: 1, passed_over: [] });
});
