// What the page of one task shows: its timeline, and each attempt with its gates.
import { expect, it } from 'vitest';
import type { Signal } from '../../../src/domain/sessions/signal.ts';
import { addTask, addTasks } from '../../../src/queue/tasks/add.ts';
import { answer } from '../../../src/queue/tasks/answer.ts';
import { taskAttempts, timeline } from '../../../src/queue/tasks/task-page.ts';
import { appendEvents } from '../../../src/store/events.ts';
import { effectsWith, gateResult, openTestQueue, runSession } from '../../support/queue.ts';

const done: Signal = { verb: 'done', summary: 'built it' };

it('the timeline of a task shows waits, sessions, gates, questions and answers', async () => {
  const queue = await openTestQueue();
  await addTasks(queue, [{ title: 'a' }, { title: 'b', depends_on: [1] }]);
  await runSession(queue, [done], { effects: effectsWith(gateResult(false)) });
  await runSession(queue, [
    { verb: 'ask', question: 'REST?', blocking: true },
    { verb: 'partial', summary: 's', remaining: 'r' },
  ]);
  await answer(queue, 1, 'gRPC');
  const { events, isCut } = await timeline(queue, 1);
  expect(isCut).toBe(false);
  expect(events.map(({ kind, data }) => [kind, data])).toMatchObject([
    ['task.status', { to: 'in_progress', cause: 'claim' }],
    ['session.started', {}],
    ['gate.finished', { name: 'test', passed: false }],
    ['task.status', { to: 'pending', cause: 'settle' }],
    ['comment.added', {}],
    ['session.ended', { outcome: 'gate_failed' }],
    ['task.status', { to: 'in_progress', cause: 'claim' }],
    ['session.started', {}],
    ['question.asked', { question: 1, blocking: true }],
    ['task.status', { to: 'needs_input', cause: 'settle' }],
    ['comment.added', {}],
    ['session.ended', { outcome: 'partial' }],
    ['question.answered', { question: 1 }],
    ['task.status', { to: 'pending', cause: 'answer' }],
  ]);
  expect(await timeline(queue, 2)).toEqual({ events: [], isCut: false });
  await expect(timeline(queue, 3)).rejects.toThrow('There is no task 3');
});

it('a timeline holds at most the newest 500 events, oldest first', async () => {
  const queue = await openTestQueue();
  await addTask(queue, { title: 'a' });
  const events = Array.from({ length: 600 }, (_, at) => ({ at, kind: 'task.edited' as const, task_id: 1 }));
  await queue.store.write((db) => appendEvents(db, events));
  const { events: known, isCut } = await timeline(queue, 1);
  expect([known.length, known[0]?.at, known.at(-1)?.at, isCut]).toEqual([500, 100, 599, true]);
});

it('the attempts of a task come newest first, each with its signals and gates', async () => {
  const queue = await openTestQueue();
  await addTask(queue, { title: 'a' });
  await addTask(queue, { title: 'b' });
  const first = await runSession(queue, [done], { effects: effectsWith(gateResult(false)) });
  const flag: Signal = { verb: 'flag', what: 'old', severity: 'info', category: 'stale' };
  const second = await runSession(queue, [flag, done], { effects: effectsWith(gateResult(true)) });
  expect(await taskAttempts(queue, 1)).toMatchObject([
    {
      session: { id: second.session_id, outcome: 'done' },
      gates: [{ name: 'test', passed: true }],
      signals: [{ signal: flag }, { signal: done }],
    },
    {
      session: { id: first.session_id, outcome: 'gate_failed' },
      gates: [{ name: 'test', passed: false, tail: expect.stringContaining('retry.spec.ts:41') }],
      signals: [{ signal: done }],
    },
  ]);
  expect(await taskAttempts(queue, 2)).toEqual([]);
  await expect(taskAttempts(queue, 3)).rejects.toThrow('There is no task 3');
});
