import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { RalphEvent } from '../../../src/domain/event.ts';
import type { Status } from '../../../src/domain/tasks/task.ts';
import { taskTimeline } from '../../../src/domain/tasks/task-timeline.ts';
import { addTask } from '../../../src/queue/tasks/add.ts';
import { answer } from '../../../src/queue/tasks/answer.ts';
import { skip } from '../../../src/queue/tasks/decide.ts';
import { getTask } from '../../../src/queue/tasks/list.ts';
import { taskAttempts, timeline } from '../../../src/queue/tasks/task-page.ts';
import { effectsWith, gateResult, openTestQueue, runSession } from '../../support/queue.ts';

const event = (at: number, more: Partial<RalphEvent>): RalphEvent => ({
  id: at,
  at,
  kind: 'task.status',
  task_id: 1,
  session_id: null,
  run_id: null,
  via: 'cli',
  data: {},
  ...more,
});

it('a timeline separates waiting, running and checking, from the moment that the task was added', async () => {
  const queue = await openTestQueue();
  const { created } = await addTask(queue, { title: 'Store times' });
  const storyNow = async () =>
    taskTimeline(await getTask(queue, 1), await timeline(queue, 1), await taskAttempts(queue, 1));
  expect(await storyNow()).toMatchObject([{ state: 'pending', from: created, to: null, cause: null }]);

  const done = { verb: 'done', summary: 's' } as const;
  await runSession(queue, [done], { effects: effectsWith(gateResult(false)) });
  await runSession(queue, [
    { verb: 'ask', question: 'Which zone?', blocking: true },
    { verb: 'partial', summary: 's', remaining: 'r' },
  ]);
  await answer(queue, 1, 'UTC');
  await skip(queue, [1]);
  const story = await storyNow();
  expect(story.map(({ state, cause }) => [state, cause])).toEqual([
    ['pending', null],
    ['ran', 'claim'],
    ['checked', 'claim'],
    ['pending', 'settle'],
    ['ran', 'claim'],
    ['needs_input', 'settle'],
    ['pending', 'answer'],
    ['skipped', 'skip'],
  ]);
  const [first, ...rest] = story;
  const claimed = (await taskAttempts(queue, 1)).at(-1)?.session.started;
  expect([first?.from, first?.to]).toEqual([created, claimed]);
  expect(claimed).toBeGreaterThan(created);
  expect(rest.every(({ from, to }) => to === null || to > from)).toBe(true);
});

it('an interval names the channel through which a person moved the task, and the first one has none', () => {
  const events = [
    event(20, { data: { from: 'failed', to: 'pending', cause: 'retry' }, via: 'ui' }),
    event(30, { kind: 'comment.added' }),
  ];
  const story = taskTimeline({ status: 'pending', created: 10 }, { events, isCut: false }, []);
  expect(story.map(({ state, from, to, via }) => [state, from, to, via])).toEqual([
    ['failed', 10, 20, null],
    ['pending', 20, null, 'ui'],
  ]);
});

it('a session is shown as being checked while its gates run, and not if none ran', () => {
  const events = [
    event(20, { data: { from: 'pending', to: 'in_progress', cause: 'claim' }, session_id: 's' }),
  ];
  const statesWith = (ended: number | null) =>
    taskTimeline({ status: 'in_progress', created: 0 }, { events, isCut: false }, [
      { session: { id: 's', closing: 40, ended }, gates: [] },
    ]).map(({ state }) => state);
  expect(statesWith(null)).toEqual(['pending', 'ran', 'checked']);
  expect(statesWith(50)).toEqual(['pending', 'ran']);
});

it('a timeline has no gap and no overlap, whatever events it has', () => {
  const status = fc.constantFrom<Status>('pending', 'in_progress', 'failed', 'done');
  const steps = fc.array(fc.record({ to: status, takes: fc.nat(100), kind: fc.boolean() }), {
    maxLength: 20,
  });
  fc.assert(
    fc.property(steps, fc.nat(20), (all, leftOut) => {
      let at = 0;
      let from: Status = 'pending';
      const events = all.map(({ to, takes, kind }) => {
        at += takes;
        const data = { from, to, cause: 'claim' };
        if (kind) from = to;
        return kind ? event(at, { data, session_id: `s${at}` }) : event(at, { kind: 'task.edited' });
      });
      const known = events.slice(leftOut);
      const isCut = known.length < events.length;
      const story = taskTimeline({ status: from, created: 0 }, { events: known, isCut }, []);
      expect(story[0]?.from).toBe((isCut ? known[0]?.at : null) ?? 0);
      expect(story.map(({ to }) => to)).toEqual([...story.slice(1).map((next) => next.from), null]);
    }),
  );
});
