import { expect, it } from 'vitest';
import { needsText, type Summary, statusLine } from '../../../src/domain/tasks/summary.ts';

const NOTHING: Summary = {
  ready: 0,
  running: 0,
  done: 0,
  total: 0,
  questions: 0,
  flags: 0,
  failed: 0,
  blocked: 0,
  drafts: 0,
};

it('the status line names what runs, what is ready and what needs the person, and leaves out zeros', () => {
  expect(statusLine(NOTHING)).toBe('ralph: no tasks yet');
  expect(statusLine({ ...NOTHING, total: 3, done: 3 })).toBe('ralph 3/3 done');
  expect(statusLine({ ...NOTHING, total: 9, done: 2, running: 1, ready: 4, questions: 1, failed: 2 })).toBe(
    'ralph 2/9 done · 1 running · 4 ready · needs you: 1 question, 2 failed',
  );
});

it('each thing that only a person can move on is a need', () => {
  expect(needsText(NOTHING)).toBe('');
  expect(needsText({ ...NOTHING, questions: 2, flags: 1, failed: 1, blocked: 1, drafts: 3 })).toBe(
    '2 questions, 1 flag, 1 failed, 1 blocked, 3 drafts',
  );
});
