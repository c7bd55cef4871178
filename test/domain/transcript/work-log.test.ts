import fc from 'fast-check';
import { expect, it } from 'vitest';
import { buildWorkLog } from '../../../src/domain/transcript/work-log.ts';
import { tries } from '../../support/tries.ts';

const inside = (path: string): string | null => (path.startsWith('/p/') ? path.slice(3) : null);
const used = (id: string, name: string, input: object): string =>
  JSON.stringify({ type: 'assistant', message: { content: [{ type: 'tool_use', id, name, input }] } });
const answered = (id: string, content: string, is_error = false): string =>
  JSON.stringify({
    type: 'user',
    message: { content: [{ type: 'tool_result', tool_use_id: id, content, is_error }] },
  });

it('a work log lists the files, the commands with their exit codes, and the errors of a session', () => {
  const work = buildWorkLog(inside);
  const lines = [
    used('1', 'Read', { file_path: '/p/src/a.ts' }),
    answered('1', '1\ta'),
    used('2', 'Edit', { file_path: '/p/src/a.ts' }),
    used('3', 'Read', { file_path: '/p/docs/b.md' }),
    used('4', 'Write', { file_path: '/elsewhere/c.ts' }),
    used('5', 'Bash', { command: 'npm test' }),
    answered('5', 'Exit code 3\n2 failed', true),
    used('6', 'Bash', { command: 'npm test' }),
    answered('6', 'all passed'),
    used('7', 'Bash', { command: `curl -H "Authorization: Bearer ${'a1'.repeat(12)}"` }),
  ];
  for (const line of lines) work.add(line);
  expect(work.build()).toEqual({
    written: ['src/a.ts'],
    read: ['docs/b.md'],
    commands: [
      { command: 'npm test', exit: 3 },
      { command: 'npm test', exit: 0 },
      { command: 'curl -H "Authorization: Bearer <masked>"', exit: null },
    ],
    errors: ['Exit code 3 2 failed'],
  });
});

it('a work log stays small and never throws, whatever the stream holds', () => {
  const block = fc.oneof(
    fc.json(),
    fc
      .record({ id: fc.string(), name: fc.constantFrom('Bash', 'Read', 'Edit'), path: fc.string() })
      .map(({ id, name, path }) => used(id, name, { file_path: `/p/${path}`, command: path.repeat(50) })),
    fc.tuple(fc.string(), fc.string(), fc.boolean()).map((parts) => answered(...parts)),
  );
  fc.assert(
    fc.property(fc.array(block, { maxLength: 300 }), (lines) => {
      const work = buildWorkLog(inside);
      for (const line of lines) work.add(line);
      expect(JSON.stringify(work.build()).length).toBeLessThan(64 * 1024);
    }),
    { numRuns: tries(50) },
  );
});
