import fc from 'fast-check';
import { expect, it } from 'vitest';
import { closestName } from '../../../src/domain/text/did-you-mean.ts';
import { requireTitle, visible } from '../../../src/domain/text/text.ts';
import { tries } from '../../support/tries.ts';

it('control, escape, bidirectional and zero-width characters become visible', () => {
  expect(visible('a\x1b[31mred\x07')).toBe('a␛[31mred␇');
  expect(visible('abc\u202edef\u200b')).toBe('abc<U+202E>def<U+200B>');
  expect(visible('back\bspace\rover')).toBe('back␈space␍over');
  expect(visible('tab\tand\nline stay, so does 日本 and é')).toBe('tab\tand\nline stay, so does 日本 and é');
});

it('a visible text has no character that a terminal would act on', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(visible(text)).not.toMatch(
        /[\0-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/,
      );
    }),
    { numRuns: tries(1000) },
  );
});

it('a title that is empty, too long, of several lines, or holds a NUL byte is refused', () => {
  for (const title of ['', '   ', '\u200b\u200b', 'a\nb', 'a\0b', 'x'.repeat(501)])
    expect(() => requireTitle(title)).toThrow(/^The title /);
  expect(requireTitle('  Build it ')).toBe('Build it');
});

it('didYouMean names the closest word, and none if none is close', () => {
  expect(closestName('discription', ['description', 'discipline'])).toBe('description');
  expect(closestName('titel', ['id', 'title', 'tags'])).toBe('title');
  expect(closestName('priorty', ['priority', 'provenance'])).toBe('priority');
  expect(closestName('zebra', ['title', 'tags'])).toBeNull();
});
