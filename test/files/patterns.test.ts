import fc from 'fast-check';
import picomatch from 'picomatch';
import { describe, expect, it } from 'vitest';
import { matcher, patternProblem } from '../../src/files/patterns.ts';
import { tries } from '../support/tries.ts';

describe('a glob', () => {
  it.each([
    ['src/*.ts', 'src/a.ts', true],
    ['src/*.ts', 'src/deep/a.ts', false],
    ['src/**/*.ts', 'src/a.ts', true],
    ['src/**/*.ts', 'src/deep/er/a.ts', true],
    ['**/*.md', 'README.md', true],
    ['**/docs/**', 'a/docs/b/c.txt', true],
    ['{src,test}/**/*.{ts,js}', 'test/x/y.js', true],
    ['{src/a,test}/*.ts', 'src/a/b.ts', true],
    ['{src,test}/**/*.{ts,js}', 'docs/y.js', false],
    ['src/[ab].ts', 'src/b.ts', true],
    ['**', '.hidden/file', true],
  ])('%s against %s', (pattern, path, expected) => {
    expect(matcher(pattern)(path)).toBe(expected);
  });

  it('the matcher agrees with picomatch wherever both know the answer', () => {
    const segment = fc.constantFrom('a', 'b', 'ab', 'c.ts');
    const part = fc.constantFrom('a', 'b', '*', '**', 'a*', '*.ts', '?', '{a,b}', '[ab]');
    fc.assert(
      fc.property(
        fc.array(part, { minLength: 1, maxLength: 4 }),
        fc.array(segment, { minLength: 1, maxLength: 4 }),
        (parts, segments) => {
          const [pattern, path] = [parts.join('/'), segments.join('/')];
          // A trailing `**` also matches the folder itself there, which is no file.
          fc.pre(parts.at(-1) !== '**' && path !== pattern);
          expect(matcher(pattern)(path)).toBe(picomatch(pattern, { dot: true, noextglob: true })(path));
        },
      ),
      { numRuns: tries(2_000) },
    );
  });

  it('a glob that could take for ever is refused or matched quickly', () => {
    const name = `${'a'.repeat(250)}.txt`;
    const hostile = [
      '*(a*)*(a*)*(a*)b',
      '+(*a|*b|*c)x',
      '*a*a*a*a*a*a*a*a*b',
      '{a*,*a}{a*,*a}{a*,*a}{a*,*a}{a*,*a}{a*,*a}{a*,*a}{a*,*a}b',
      `${'**/'.repeat(30)}b`,
      `${'{a,b}'.repeat(30)}`,
    ];
    for (const pattern of hostile) {
      expect(matcher(pattern)(name)).toBe(false);
      expect(matcher(pattern)(Array(60).fill(name).join('/'))).toBe(false);
    }
    expect(patternProblem('*a*a*a*a*b')).toBe('too many wildcards');
    expect(patternProblem('src/**/*.{ts,tsx}')).toBeNull();
  });
});
