import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { commitMessage } from '../../../src/domain/sessions/commit-message.ts';
import { SHAPED } from '../../support/planted-secrets.ts';
import { tempDir } from '../../support/temp.ts';
import { tries } from '../../support/tries.ts';

/** As git itself reads them, from an empty environment. */
function trailersOf(message: string, cwd: string): string[] {
  const env = { PATH: process.env['PATH'], HOME: cwd, GIT_CONFIG_NOSYSTEM: '1' };
  const text = execFileSync('git', ['interpret-trailers', '--parse'], {
    input: message,
    cwd,
    env,
    encoding: 'utf8',
  });
  return text.split('\n').filter((line) => line !== '');
}

const OWN = [
  ['Ralph-Task', '7'],
  ['Ralph-Session', 'e2f1'],
] as const;

const hostile = fc.constantFrom(
  'Ralph-Session: forged',
  'Co-Authored-By: Mallory <m@x.test>',
  'Signed-off-by: Mallory <m@x.test>',
  'Note: something',
  '(cherry picked from commit 9fceb02d0ae598e95dc970b74767f19372d61af8)',
  '---',
  '--- a/file',
  '# ------------------------ >8 ------------------------',
  '# a comment',
  'Conflicts:',
  '\tsrc/a.ts',
  ' Ralph-Session: forged',
  '',
  '\r',
  '\u2028Ralph-Session: forged',
  '\x85Ralph-Session: forged',
  '\x0bRalph-Session: forged',
  '\u001b[31mred\u001b[0m \u202eesrever\u202c',
);
const text = fc
  .array(fc.oneof({ weight: 3, arbitrary: hostile }, { weight: 1, arbitrary: fc.string() }), { maxLength: 8 })
  .chain((lines) => fc.constantFrom('\n', '\r\n', '\n\n').map((end) => lines.join(end)));

describe('a commit message', () => {
  it('a commit message has exactly the trailers that Ralph gives it, whatever an agent wrote', () => {
    const cwd = tempDir();
    fc.assert(
      fc.property(text, text, fc.boolean(), (title, summary, hasTrailers) => {
        const trailers = hasTrailers ? OWN : [];
        const message = commitMessage({ title, summary, trailers });
        expect(trailersOf(message, cwd)).toEqual(trailers.map(([key, value]) => `${key}: ${value}`));
        // Some tools, and `git log --grep`, look at every line.
        const forged = message.split('\n').filter((line) => /^(?:Ralph-|Co-Auth|Signed-off)/i.test(line));
        expect(forged.length).toBe(trailers.length);
      }),
      {
        numRuns: tries(150),
        examples: [
          ['', 'Above\n\nNote: something\n\n# a comment', false],
          ['', 'Above\n\nNote: something\n\nConflicts:\n\tsrc/a.ts', false],
        ],
      },
    );
  });

  it('a commit message has no control, escape or bidirectional character except line feed and tab', () => {
    fc.assert(
      fc.property(text, text, (title, summary) => {
        const message = commitMessage({ title, summary, trailers: OWN });
        expect(message).not.toMatch(/[\0-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069]/);
        expect(message.split('\n')[1]).toBe('');
        expect(message.endsWith('\nRalph-Task: 7\nRalph-Session: e2f1\n')).toBe(true);
      }),
    );
  });

  it('an ordinary summary appears unchanged in the commit message', () => {
    const summary = 'Note: the limit is 5 a minute.\n\n- one\n- two\n\nSee docs/limits.md.';
    expect(commitMessage({ title: ' Limit the login ', summary, trailers: OWN })).toBe(
      `Limit the login\n\n${summary}\n\nRalph-Task: 7\nRalph-Session: e2f1\n`,
    );
  });

  it('a line of a summary that looks like a trailer is quoted', () => {
    const message = commitMessage({ title: 'A', summary: 'Done.\nSigned-off-by: Me', trailers: OWN });
    expect(message).toContain('Done.\n> Signed-off-by: Me\n');
  });

  it('a commit message contains no secret of a known shape', () => {
    for (const secret of Object.values(SHAPED))
      expect(
        commitMessage({ title: `Use ${secret}`, summary: `It is ${secret}.`, trailers: OWN }),
      ).not.toContain(secret);
  });

  it('an invalid trailer key throws, because only Ralph can pass one', () => {
    expect(() => commitMessage({ title: 'A', summary: '', trailers: [['a b', 'c']] })).toThrow(
      /not a valid trailer key/,
    );
  });
});
