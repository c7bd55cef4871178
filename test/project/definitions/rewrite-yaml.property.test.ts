import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { rewriteYaml } from '../../../src/project/definitions/rewrite-yaml.ts';
import { tries } from '../../support/tries.ts';

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
    { numRuns: tries(300) },
  );
});

it('lines that do not change keep the spaces and line ends that people gave them', () => {
  const text = `tasks:   # by hand
  - { id: 1, title: One, depends_on: [2] }
  - {id: 2,   title: Two}     # later
  - id:    3
    title: "Three"
`;
  const value = parse(text);
  const changed = rewriteYaml(
    text,
    { tasks: [value.tasks[0], { ...value.tasks[1], title: '2' }] },
    'tasks.yaml',
  );
  expect(changed).toBe(`tasks:   # by hand
  - { id: 1, title: One, depends_on: [2] }
  - { id: 2, title: "2" } # later
`);
  const dos = text.replaceAll('\n', '\r\n');
  expect(rewriteYaml(dos, { tasks: value.tasks.slice(0, 2) }, 'tasks.yaml')).toBe(
    dos.slice(0, dos.indexOf('  - id:')),
  );
  const wide = 'tasks:\n    - id: 1\n      title: One\n      steps:\n          - a\n';
  expect(
    parse(rewriteYaml(wide, { tasks: [{ id: 1, title: 'One', steps: ['a', 'b'] }] }, 'tasks.yaml')),
  ).toEqual({
    tasks: [{ id: 1, title: 'One', steps: ['a', 'b'] }],
  });
});
