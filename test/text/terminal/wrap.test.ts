import fc from 'fast-check';
import { expect, it } from 'vitest';
import { width } from '../../../src/text/terminal/table.ts';
import { wrap } from '../../../src/text/terminal/wrap.ts';

it('wrap breaks between words, and indents the rest to the first word', () => {
  expect(wrap('short\n\n  - one two three four\n1. five six seven', 14)).toBe(
    'short\n\n  - one two\n    three four\n1. five six\n   seven',
  );
});

it('wrap breaks a word only if it is longer than a line', () => {
  expect(wrap('see abcdefghijklmnop now', 8)).toBe('see\nabcdefgh\nijklmnop\nnow');
});

it('wrapped text is never too wide, and loses nothing but space', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '-', '\n', '日', 'é', '1', '.') });
  fc.assert(
    fc.property(text, fc.integer({ min: 8, max: 40 }), (given, columns) => {
      const wrapped = wrap(given, columns);
      expect(wrapped.replace(/\s/g, '')).toBe(given.replace(/\s/g, ''));
      for (const line of wrapped.split('\n')) expect(width(line)).toBeLessThanOrEqual(columns);
    }),
  );
});
