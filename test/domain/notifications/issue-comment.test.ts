import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  commentMarker,
  issueComment,
  issueTarget,
  parseIssueTarget,
  withoutLocalPaths,
} from '../../../src/domain/notifications/issue-comment.ts';
import { tries } from '../../support/tries.ts';

it('whatever an agent writes, it stays in its fence and forges no marker', () => {
  const marker = commentMarker({ created: 1_700_000_000_000, event_id: 7 });
  const word = fc.constantFrom('```', '~~~~', '\n', '@kim', '-->', '<!--', marker, '![x](http://e)', 'a ');
  fc.assert(
    fc.property(fc.array(fc.oneof(word, fc.string({ unit: 'binary' }))), (parts) => {
      const words = parts.join('');
      const comment = issueComment({
        kind: 'question',
        asks: 'asks Q1',
        words,
        command: 'ralph answer 1 "..."',
      });
      const [, marks = ''] = /^(`{3,})text$/m.exec(comment) ?? [];
      const lines = comment.split('\n');
      const [open, close] = [lines.indexOf(`${marks}text`), lines.indexOf(marks)];
      expect(lines.slice(0, open).join('\n')).toBe('**Ralph needs a person** for this issue. It asks Q1:\n');
      expect(lines.slice(close + 1).join('\n')).toMatch(
        /^\nType `ralph answer 1 "\.\.\."` where Ralph runs\./,
      );
    }),
    { numRuns: tries(100) },
  );
});

it('a comment says where the work landed, what passed, or that nothing had to change', () => {
  const finished = {
    kind: 'finished',
    commit: 'a'.repeat(40),
    summary: 'Added it.',
    gates: ['test'],
  } as const;
  expect(issueComment(finished)).toBe(
    `**Ralph has finished** this issue. The work has landed in ${'a'.repeat(40)}.\n\n\`\`\`text\nAdded it.\n\`\`\`\n\nPassed: \`test\`.`,
  );
  expect(issueComment({ ...finished, commit: null, summary: ' ', gates: [] })).toBe(
    '**Ralph has finished** this issue. No file had to change.',
  );
});

it('folders of the machine are not named, and routes of a program stay', () => {
  const folders = [
    ['/home/kim', '~'],
    ['/home/kim/shop', '.'],
  ] as const;
  expect(withoutLocalPaths('In /home/kim/shop/src/a.ts, ~ is /home/kim.', folders)).toBe(
    'In ./src/a.ts, ~ is ~.',
  );
  expect(withoutLocalPaths('See "/tmp/x/run.log" and C:\\Users\\kim\\b.txt', [])).toBe(
    'See "…/run.log" and …/b.txt',
  );
  expect(withoutLocalPaths('GET /api/v1/users, see https://x.example/home/a', [])).toBe(
    'GET /api/v1/users, see https://x.example/home/a',
  );
});

it('an issue is found again by its name in the outbox', () => {
  for (const board of ['octo/shelf', 'git.example.com:8443/octo/shelf'])
    expect(parseIssueTarget(issueTarget({ board, number: 12 }))).toEqual({ board, number: 12 });
  expect(parseIssueTarget('webhook github.com')).toBeNull();
});
