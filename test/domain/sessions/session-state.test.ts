import { expect, it } from 'vitest';
import { sessionState } from '../../../src/domain/sessions/session-state.ts';
import { OUTCOMES } from '../../../src/domain/sessions/settle.ts';
import { stateWord } from '../../../src/domain/tasks/status.ts';

it('the state of an open session tells whether its process lives, and of an ended one its outcome', () => {
  const open = { ended: null, closing: null, outcome: null };
  const words = [
    sessionState(open, true),
    sessionState({ ...open, closing: 5 }, true),
    sessionState({ ...open, closing: 5 }, false),
  ].map(({ state, word }) => [state, word]);
  expect(words).toEqual([
    ['in_progress', 'running'],
    ['in_progress', 'being checked'],
    ['left_behind', 'left behind'],
  ]);
  const ended = OUTCOMES.map((outcome) => sessionState({ ended: 9, closing: 5, outcome }, false));
  expect(Object.fromEntries(ended.map(({ word, state }) => [word, state]))).toEqual({
    done: 'done',
    'no change': 'failed',
    'needs approval': 'waiting',
    partial: 'waiting',
    conflict: 'waiting',
    proposed: 'waiting',
    interrupted: 'waiting',
    stuck: 'failed',
    'gate failed': 'failed',
    'changes requested': 'failed',
    'rules bent': 'failed',
  });
});

it('a task is left behind only while it is in progress', () => {
  const task = { open_blockers: 0, not_before: null };
  expect(stateWord({ ...task, status: 'in_progress' }, 0, true)).toBe('left_behind');
  expect(stateWord({ ...task, status: 'in_progress' }, 0, false)).toBe('in_progress');
  expect(stateWord({ ...task, status: 'pending' }, 0, true)).toBe('ready');
});
