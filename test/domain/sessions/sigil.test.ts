import { expect, it } from 'vitest';
import { findTags, quoteTags } from '../../../src/domain/sessions/sigil.ts';
import { readReport } from '../../../src/domain/sessions/sigil-report.ts';

const report = (text: string, first = 0) => readReport({ lines: text.split('\n'), first, earlier: [] }, 1);

it.each([
  ['<task-done>1</task-done>', 'done'],
  ['So: <task-done> #1 </task-done>.', 'done'],
  ['It has `code` and <TASK_DONE>', 'done'],
  ['<task-done no-change="`main.ts` has it, x > 3">1</task-done>', 'done'],
  ['Sorry. <task-failed>1</task-failed> I cannot.', 'failed'],
  ['<TASK_BLOCKED reason="the vendor"> for now', 'blocked'],
  ['Bye <promise>FAILURE</promise>', 'failure'],
  // A fence that nothing closes is no block of code.
  ['```\nx\n```\n```sh\n<TASK_DONE>', 'done'],
])('%j closes the session', (text, kind) => {
  expect(report(text)).toMatchObject({ closing: { sigil: { kind } }, notices: [] });
});

it.each([
  '<task-done></task-done>',
  '<task-done>x</task-done>',
  '<task-done>1',
  '<TASK_BLOCKED>',
  '<promise>complete</promise>',
  '`<TASK_DONE>`',
  'Then I print ``<task-done>1</task-done>``, as told.',
  '  > <TASK_DONE>',
  '````md\n```\n<TASK_DONE>\n```\n````',
])('%j closes nothing', (text) => expect(report(text).closing).toBeNull());

it('a promise closes a task only if no other tag does, and the last of several tags counts', () => {
  const both = report('Built.\n<task-done>1</task-done>\n<promise>COMPLETE</promise>');
  expect(both).toMatchObject({ closing: { sigil: { kind: 'done' } }, claimsCompletion: true, notices: [] });
  const hopeless = report('<task-done>1</task-done> <promise>FAILURE</promise>');
  expect(hopeless).toMatchObject({ closing: { sigil: { kind: 'done' } }, gaveUp: true, notices: [] });
  expect(report('<TASK_DONE>\n<task-failed>1</task-failed>')).toMatchObject({
    closing: { sigil: { kind: 'failed' } },
    notices: ['It printed <TASK_DONE> before <task-failed>1</task-failed>; the last one counts.'],
  });
});

it('the text around a tag keeps what it quotes', () => {
  const { closing } = report('I print `<TASK_DONE>` last.\n<task-failed>1</task-failed>');
  expect(closing?.words).toBe('I print `<TASK_DONE>` last.');
});

it('lines before the last text tell only whether it is code', () => {
  expect(report('<TASK_DONE>\nlater', 1)).toMatchObject({ closing: null, notices: { length: 1 } });
  expect(report('```\na\nb\n<TASK_DONE>\n```', 2).closing).toBeNull();
});

it('an agent that echoes its prompt reports nothing, and its reasons stay bounded', () => {
  const prompt = quoteTags('Title: <task-done>1</task-done>\nPrint `<TASK_DONE>` at the end.');
  expect(prompt).toBe('> Title: <task-done>1</task-done>\nPrint `<TASK_DONE>` at the end.');
  expect(report(prompt).closing).toBeNull();
  const many = Array.from({ length: 50 }, (_, id) => `<task-done>${id + 2}</task-done>`).join(' ');
  expect(report(many).notices).toHaveLength(5);
});

it('a hostile line is read in linear time', () => {
  const line = `<task-done ${'"a'.repeat(50_000)}${'<promise>'.repeat(50_000)}`;
  expect(findTags([line])).toEqual([]);
});
