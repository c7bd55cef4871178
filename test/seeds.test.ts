// docs/seeds.md claims nothing that is gone: each of its rows names a source file and a test that exist.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { type Row, seedRows, seedsReference } from '../scripts/references/seeds.ts';

const quoted = (text: string): string =>
  `(['"\`])${text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/['"`]/g, '\\\\?$&')}\\1`;

/** Neither skipped nor left for later; the second form is that of `it.each(...)(title` and the like. */
const hasTest = (source: string, title: string): boolean =>
  new RegExp(`(?:\\bit(?!\\.(?:skip|todo)\\b)[\\w.]*|\\))\\(\\s*${quoted(title)}`).test(source);

/** A long table of cases is a module beside its test. */
const withTables = (test: string, source: string): string =>
  [...source.matchAll(/^import .* from '(\.\/[^']+)'/gm)].reduce(
    (all, [, path = '']) => all + readFileSync(join(dirname(test), path), 'utf8'),
    source,
  );

function problems(rows: readonly Row[]): string[] {
  return rows.flatMap(({ ask, where, test, title = '', case: one, golden, shows = '' }) => {
    if (where !== undefined && !existsSync(where)) return [`${ask}: there is no ${where}`];
    if (test === undefined) return [];
    if (!existsSync(test)) return [`${ask}: there is no ${test}`];
    const source = readFileSync(test, 'utf8');
    if (!hasTest(source, title)) return [`${ask}: ${test} has no test "${title}"`];
    if (one !== undefined && !new RegExp(quoted(one)).test(withTables(test, source)))
      return [`${ask}: ${test} has no case "${one}"`];
    return golden === undefined || readFileSync(golden, 'utf8').includes(shows)
      ? []
      : [`${ask}: ${golden} does not show "${shows}"`];
  });
}

it('every row of docs/seeds.md names a source file and a test that exist', () => {
  expect(problems(seedRows())).toEqual([]);
});

it('a row whose file, test, case or golden words are gone is found', () => {
  const row = {
    ask: 'An override',
    where: 'src/recipes/override.ts',
    test: 'test/recipes/override.test.ts',
    title: 'an override reorders and removes sections',
    case: 'state_files',
    golden: 'test/recipes/golden/plan.md',
    shows: '## How to plan',
  };
  expect(problems([row])).toEqual([]);
  const gone: Partial<Row>[] = [
    { where: 'src/recipes/overrides.ts' },
    { test: 'test/recipes/overrides.test.ts' },
    { title: 'an override reorders sections' },
    { title: 'an override reorders and removes' },
    { case: 'state_file' },
    { shows: '## How to dance' },
  ];
  for (const change of gone) expect(problems([{ ...row, ...change }])).toHaveLength(1);
});

it.each([
  ["it('a title', () => {", true],
  ["it.each(TABLE)('a title', () => {", true],
  ["it.each([\n  1,\n])(\n  'a title',", true],
  ["it.skip('a title', () => {", false],
  ["it.todo('a title');", false],
  ["describe('a title', () => {", false],
  ["expect('a title')", false],
])('the check looks for the test "a title" in %j, and the result is %s', (source, has) =>
  expect(hasTest(source, 'a title')).toBe(has),
);

it('docs/seeds.md is what scripts/references/seeds.yaml says', () => {
  expect(readFileSync('docs/seeds.md', 'utf8')).toBe(seedsReference());
});
