import { expect, it } from 'vitest';
import { plainOutput } from '../../../src/domain/sessions/gate-output.ts';

it.each([
  ['colours', '\x1b[1;31mFAIL\x1b[0m a.ts \x1b[38;5;208m12ms\x1b[m', 'FAIL a.ts 12ms'],
  ['movements of the cursor', '\x1b[2J\x1b[H\x1b[?25lhere\x1b[?25h', 'here'],
  ['a title', '\x1b]0;pwned\x07ok', 'ok'],
  ['a link', '\x1b]8;;https://a.test\x1b\\a\x1b]8;;\x1b\\', 'a'],
  ['a choice of letters', '\x1b(B\x1b=plain', 'plain'],
  ['lines of Windows', 'a\r\nb\r\n', 'a\nb\n'],
  ['a progress bar', '10%\r50%\r\r100%\n', '10%\n50%\n100%\n'],
])('plain output keeps the words of output with %s', (_, output, text) => {
  expect(plainOutput(output)).toBe(text);
});

it('an escape sequence without an end hides no text', () => {
  expect(plainOutput('\x1b]0;3 tests failed\nsecond line')).toBe('0;3 tests failed\nsecond line');
});
