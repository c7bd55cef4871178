import { expect, it } from 'vitest';
import type { Signal } from '../../../src/domain/sessions/signal.ts';
import { countRunLearnings } from '../../../src/queue/learnings/learnings.ts';
import { evidence } from '../../../src/queue/sessions/verify-evidence.ts';
import { addTask } from '../../../src/queue/tasks/add.ts';
import { findNeeds } from '../../../src/queue/tasks/needs.ts';
import { show } from '../../../src/queue/tasks/show.ts';
import { status } from '../../../src/queue/tasks/status.ts';
import { effectsWith, gateResult, openTestQueue, runSession } from '../../support/queue.ts';

const done: Signal = { verb: 'done', summary: 'Built.' };
const ask: Signal = { verb: 'ask', question: 'Which zone?', blocking: true };
const partial: Signal = { verb: 'partial', summary: 'a', remaining: 'b' };

it('a failed task comes with its last failed gate and all tasks that wait for it', async () => {
  const queue = await openTestQueue();
  await addTask(queue, { title: 'Fails', priority: 'high' });
  await addTask(queue, { title: 'Waits', depends_on: [1] });
  await addTask(queue, { title: 'Waits for what waits', depends_on: [2] });
  await addTask(queue, { title: 'Is free' });
  const other = { ...gateResult(false), name: 'lint' };
  const optional = { ...gateResult(false, false), name: 'style' };
  const effects = effectsWith(optional, gateResult(false), other);
  for (let attempt = 0; attempt < 3; attempt++) await runSession(queue, [done], { effects });
  expect((await findNeeds(queue, 10)).failed).toMatchObject([
    { id: 1, tries: 3, gate: { name: 'test', required: true, passed: false }, holds_back: [2, 3] },
  ]);
});

it('a stuck task comes with its reason, and without a gate', async () => {
  const queue = await openTestQueue();
  await addTask(queue, { title: 'Is stuck' });
  for (let attempt = 0; attempt < 3; attempt++)
    await runSession(queue, [{ verb: 'stuck', reason: 'no access' }]);
  expect((await findNeeds(queue, 10)).failed).toMatchObject([
    { id: 1, tries: 3, gate: null, last_comment: 'Stuck: no access', holds_back: [] },
  ]);
});

it('needs list drafts and blocked tasks, up to the limit of each', async () => {
  const queue = await openTestQueue();
  for (const title of ['One', 'Two', 'Three']) await addTask(queue, { title, draft: true });
  await addTask(queue, { title: 'Needs a key' });
  await runSession(queue, [{ verb: 'blocked', on: 'the vendor', kind: 'external' }, partial]);
  expect(await findNeeds(queue, 2)).toMatchObject({
    failed: [],
    blocked: [{ id: 4, title: 'Needs a key', blocked_by: 'the vendor' }],
    drafts: [{ id: 1 }, { id: 2 }],
  });
});

it('the status counts the pending tasks that could start now', async () => {
  const queue = await openTestQueue();
  await addTask(queue, { title: 'One' });
  await addTask(queue, { title: 'Two' });
  await addTask(queue, { title: 'Three', depends_on: [1] });
  expect(await status(queue)).toMatchObject({ ready: 2, counts: { pending: 3 } });
});

it('the evidence of a session names its gates, its commit and its open questions', async () => {
  const queue = await openTestQueue();
  await addTask(queue, { title: 'One', priority: 'high' });
  await addTask(queue, { title: 'Two' });
  const first = await runSession(queue, [done], { effects: effectsWith(gateResult(true)) });
  expect(await evidence(queue, { id: first.session_id, task_id: 1 })).toMatchObject({
    gates: [{ name: 'test', passed: true }],
    commit: 'a1b2c3d',
    tree_hash: null,
    questions: [],
  });
  const second = await runSession(queue, [ask, partial]);
  expect(await evidence(queue, { id: second.session_id, task_id: 2 })).toEqual({
    gates: [],
    commit: null,
    tree_hash: null,
    questions: [{ id: 1, question: 'Which zone?' }],
    flags: [],
  });
});

it('the learnings of a run are counted', async () => {
  const queue = await openTestQueue();
  await addTask(queue, { title: 'One' });
  await runSession(queue, [
    { verb: 'learned', text: 'Filter first.', kind: 'gotcha', scope: 'project' },
    done,
  ]);
  const { sessions } = await show(queue, 1);
  const run_id = sessions[0]?.run_id ?? 0;
  expect(await countRunLearnings(queue, run_id)).toBe(1);
  expect(await countRunLearnings(queue, run_id + 1)).toBe(0);
});
