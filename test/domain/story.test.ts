import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { RalphEvent } from '../../src/domain/event.ts';
import { storyOf } from '../../src/domain/story.ts';
import type { Status } from '../../src/domain/task.ts';
import { gateResult } from '../support/queue.ts';

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

it('tells waiting, running and checking apart, and what led to each', () => {
  const story = storyOf(
    { status: 'pending', created: 0 },
    [
      event(10, { kind: 'task.added' }),
      event(20, { data: { from: 'pending', to: 'in_progress', cause: 'claim' }, session_id: 's' }),
      event(25, { kind: 'comment.added' }),
      event(50, { data: { from: 'in_progress', to: 'failed', cause: 'settle' }, session_id: 's' }),
      event(70, { data: { from: 'failed', to: 'pending', cause: 'retry' }, via: 'ui' }),
    ],
    [{ session: { id: 's', closing: 40, ended: 50 }, gates: [gateResult(false)] }],
  );
  expect(story.map(({ state, from, to, cause, via }) => [state, from, to, cause, via])).toEqual([
    ['pending', 10, 20, null, 'cli'],
    ['ran', 20, 40, 'claim', 'cli'],
    ['checked', 40, 50, 'claim', 'cli'],
    ['failed', 50, 70, 'settle', 'cli'],
    ['pending', 70, null, 'retry', 'ui'],
  ]);
});

it('says that a session is being checked while its gates run, and not where none did', () => {
  const claimed = [
    event(20, { data: { from: 'pending', to: 'in_progress', cause: 'claim' }, session_id: 's' }),
  ];
  const statesWith = (ended: number | null) =>
    storyOf({ status: 'in_progress', created: 0 }, claimed, [
      { session: { id: 's', closing: 40, ended }, gates: [] },
    ]).map(({ state }) => state);
  expect(statesWith(null)).toEqual(['pending', 'ran', 'checked']);
  expect(statesWith(50)).toEqual(['pending', 'ran']);
});

it('has no gap and no overlap, whatever happened and however much of it is known', () => {
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
      const story = storyOf({ status: from, created: 0 }, known, []);
      expect(story[0]?.from).toBe(known[0]?.at ?? 0);
      expect(story.map(({ to }) => to)).toEqual([...story.slice(1).map((next) => next.from), null]);
    }),
  );
});
