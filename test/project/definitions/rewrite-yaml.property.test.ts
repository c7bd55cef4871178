import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { rewriteYaml } from '../../../src/project/definitions/rewrite-yaml.ts';

type Feature = { name: string; [field: string]: unknown };

const words = fc.oneof(
  fc.string(),
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('a: b', '# x', 'x\n\ny\n', ' '),
);
const features: fc.Arbitrary<Feature[]> = fc.uniqueArray(
  fc.record(
    {
      name: fc.constantFrom('auth', 'billing', 'search', 'orders', '7'),
      description: words,
      priority: fc.nat(9),
      context_files: fc.array(words, { maxLength: 3 }),
      learnings: fc.array(fc.record({ body: words, id: fc.nat(3) }), { maxLength: 2 }),
    },
    { requiredKeys: ['name'] },
  ),
  { selector: ({ name }) => name, maxLength: 4 },
);

const byName = (list: readonly Feature[]) => [...list].sort((a, b) => a.name.localeCompare(b.name));

/** Each entry with a comment of its own above it. */
const withComments = (list: readonly Feature[]): string =>
  ['# Ours\nfeatures:\n', ...list.map((one) => `  # ${one.name} is ours\n${indent(stringify([one]))}`)].join(
    '',
  );

const indent = (text: string): string => text.replace(/^(?=.)/gm, '  ');

it('a rewritten file says what it should, and keeps its head and the comments of entries that stay', () => {
  fc.assert(
    fc.property(features, features, (before, after) => {
      const text = withComments(before);
      fc.pre(JSON.stringify(parse(text)?.features ?? []) === JSON.stringify(before));
      const rewritten = rewriteYaml(text, { features: after }, 'features.yaml');
      expect(byName(parse(rewritten).features ?? [])).toEqual(byName(after));
      expect(rewritten).toContain('# Ours\n');
      for (const { name } of after)
        if (before.some((one) => one.name === name)) expect(rewritten).toContain(`# ${name} is ours\n`);
      // A second time there is nothing to change.
      expect(rewriteYaml(rewritten, parse(rewritten), 'features.yaml')).toBe(rewritten);
    }),
    { numRuns: 300 },
  );
});
