import fc from 'fast-check';
import { expect, it } from 'vitest';
import { RECIPE_NAMES } from '../../src/domain/config.ts';
import type { PromptContext } from '../../src/domain/context.ts';
import { SOURCES } from '../../src/domain/exchange/backlog.ts';
import { OUTCOMES } from '../../src/domain/sessions/settle.ts';
import { LEARNING_KINDS } from '../../src/domain/sessions/signal.ts';
import { DISCIPLINE_DEFAULTS } from '../../src/domain/tasks/discipline.ts';
import { FEATURE_DEFAULTS } from '../../src/domain/tasks/feature.ts';
import { PROVENANCES, STATUSES, TASK_DEFAULTS } from '../../src/domain/tasks/task.ts';
import { RECIPES } from '../../src/recipes/index.ts';
import { render } from '../../src/recipes/render.ts';
import { tries } from '../support/tries.ts';

/** Text as people, agents and files have it: empty, blank, with fences, headings, control characters and runs of lines. */
const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.constantFrom(
    '',
    '  \n ',
    'a\n\n\n\nb',
    '```\ncode\n```',
    '`````',
    '# Heading',
    '## What to do now',
    '> quote',
    'x\u202ey\u200b',
    '\x1b[31m',
    'a\r\n\r\n\r\nb',
    '- [ ] box',
    '<b>',
  ),
);
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value);
const texts = fc.array(text, { maxLength: 3 });
const provenance = fc.constantFrom(...PROVENANCES);
const mention = fc.record({ id: fc.nat(), title: text, status: fc.constantFrom(...STATUSES), provenance });

const task = fc
  .record({
    title: text,
    description: optional(text),
    provenance: fc.constantFrom(...PROVENANCES),
    acceptance_criteria: texts,
    output_artifacts: texts,
    hints: optional(text),
    pseudocode: optional(text),
  })
  .map((fields) => ({
    ...TASK_DEFAULTS,
    ...fields,
    id: 7,
    status: 'pending' as const,
    depends_on: [],
    blocked_by: null,
    attempts: 0,
    stuck_count: 0,
    open_blockers: 0,
    token: 0,
    not_before: null,
    created: 0,
    updated: 0,
    completed: null,
    enriched_at: null,
    archived: null,
  }));
const discipline = fc
  .record({
    name: text,
    display_name: optional(text),
    system_prompt: optional(text),
    skills: texts,
    conventions: optional(text),
  })
  .map((fields) => ({ ...DISCIPLINE_DEFAULTS, ...fields, created: 0, updated: 0 }));
const feature = fc
  .record({
    name: text,
    display_name: optional(text),
    description: optional(text),
    architecture: optional(text),
    boundaries: optional(text),
    acceptance_criteria: texts,
  })
  .map((fields) => ({
    ...FEATURE_DEFAULTS,
    ...fields,
    added_files: [],
    status: 'active' as const,
    created: 0,
    updated: 0,
  }));
const file = fc.record({
  path: fc.constantFrom('src/a.ts', 'docs/b.md', 'Makefile', 'weird`name'),
  level: fc.constantFrom('task' as const, 'feature' as const),
  content: fc.oneof(
    text.map((one) => ({ kind: 'text' as const, text: one })),
    fc.constant({ kind: 'missing' as const }),
    fc.constant({ kind: 'withheld' as const, reason: 'binary' }),
  ),
});

const context: fc.Arbitrary<PromptContext> = fc.record({
  project: fc.record({
    title: text,
    description: optional(text),
    notes: optional(text),
    progress: optional(text),
    learnings: optional(text),
    specs: texts,
  }),
  protocol: fc.constantFrom('verbs' as const, 'sigils' as const),
  commit: fc.constantFrom('task' as const, 'feature' as const, 'agent' as const, 'never' as const),
  gates: fc.array(
    fc.record({
      name: text,
      command: fc.oneof(text, texts),
      required: fc.boolean(),
      expect: optional(text),
    }),
    { maxLength: 2 },
  ),
  delivery: fc.constantFrom('auto' as const, 'inject' as const, 'resources' as const),
  budget_tokens: fc.nat(50),
  task: optional(task),
  parent: optional(fc.record({ id: fc.nat(), title: text, description: optional(text), provenance })),
  discipline: optional(discipline),
  feature: optional(feature),
  foundations: fc.array(
    fc.record({ name: text, display_name: optional(text), description: optional(text) }),
    { maxLength: 2 },
  ),
  isLaunched: fc.boolean(),
  servers: texts,
  models: texts,
  spec: optional(fc.record({ path: text, problem: optional(text) })),
  learnings: fc.array(
    fc.record({
      id: fc.nat(),
      category: fc.constantFrom(...LEARNING_KINDS),
      body: text,
      summary: optional(text),
      reason: optional(text),
      author: fc.constantFrom('agent' as const, 'person' as const),
      from: optional(text),
      at_odds: optional(text),
    }),
    { maxLength: 3 },
  ),
  siblings: fc.array(mention, { maxLength: 3 }),
  origin: optional(
    fc.record({
      source: fc.constantFrom(...SOURCES),
      board: text,
      id: text,
      author: optional(text),
    }),
  ),
  source_notes: texts,
  more_siblings: fc.nat(3),
  prerequisites: fc.array(
    fc.tuple(mention, optional(text)).map(([one, summary]) => ({ ...one, summary })),
    { maxLength: 2 },
  ),
  attempts: fc.array(
    fc.record({
      number: fc.nat(),
      outcome: fc.constantFrom(...OUTCOMES),
      failures: fc.array(fc.record({ name: text, command: text, tail: text }), { maxLength: 2 }),
    }),
    { maxLength: 2 },
  ),
  comments: fc.array(
    fc.record({
      author: fc.constantFrom('human' as const, 'agent' as const, 'system' as const),
      body: text,
      created: fc.nat(),
    }),
    { maxLength: 2 },
  ),
  questions: fc.array(
    fc.record({
      id: fc.nat(),
      task_id: fc.nat(),
      question: text,
      blocking: fc.boolean(),
      options: texts,
      preferred: optional(text),
      answer: optional(text),
      asked: fc.nat(),
      answered: optional(fc.nat()),
      dismissed: fc.constant(null),
    }),
    { maxLength: 2 },
  ),
  blocking_flags: fc.array(
    fc.record({
      id: fc.nat(),
      task_id: fc.nat(),
      severity: fc.constant('blocking' as const),
      category: fc.constant('bug' as const),
      what: text,
      why: fc.constant(null),
      created: fc.nat(),
      closed: optional(fc.nat()),
      note: optional(text),
    }),
    { maxLength: 3 },
  ),
  decisions: fc.array(fc.record({ question: text, answer: text }), { maxLength: 3 }),
  claimed_summary: optional(text),
  changes: optional(
    fc.array(
      fc.record({
        path: text,
        kind: fc.constantFrom('added', 'changed', 'removed'),
        diff: fc.oneof(
          fc.record({ kind: fc.constant('text' as const), text }),
          fc.record({ kind: fc.constant('withheld' as const), reason: fc.constant('binary') }),
        ),
      }),
      { maxLength: 3 },
    ),
  ),
  files: fc.array(file, { maxLength: 4 }),
  codebase: texts,
  input: optional(text),
  features: fc.array(
    fc.record({
      name: text,
      description: optional(text),
      status: fc.constant('active' as const),
      spec_file: optional(text),
    }),
    { maxLength: 2 },
  ),
  disciplines: fc.array(fc.record({ name: text, display_name: optional(text) }), { maxLength: 2 }),
  drafts: fc.array(
    fc.record({
      id: fc.nat(),
      title: text,
      description: optional(text),
      provenance,
      feature: optional(text),
      discipline: optional(text),
    }),
    { maxLength: 2 },
  ),
  open_tasks: fc.array(
    fc.tuple(mention, optional(text)).map(([one, of]) => ({ ...one, feature: of })),
    { maxLength: 2 },
  ),
});

/** The prompt with a word in place of each code block: files and tools say in there what they like. */
function withoutBlocks(prompt: string): string {
  const kept: string[] = [];
  let open: string | null = null;
  for (const line of prompt.split('\n')) {
    const marks = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (open === null && marks !== undefined) {
      open = marks;
      kept.push('block');
    } else if (open !== null && marks?.startsWith(open) && line.trim() === marks) open = null;
    else if (open === null) kept.push(line);
  }
  expect(open, 'a code block that nobody closed').toBeNull();
  return kept.join('\n');
}

const always = (check: (prompt: string, given: PromptContext) => void) =>
  fc.assert(
    fc.property(context, fc.constantFrom(...RECIPE_NAMES), (given, name) =>
      check(render(RECIPES[name], given).prompt, given),
    ),
    { numRuns: tries(400) },
  );

it('the same context gives the same bytes and the same hash', () => {
  fc.assert(
    fc.property(context, (given) => {
      expect(render(RECIPES.task_execution, structuredClone(given))).toEqual(
        render(RECIPES.task_execution, given),
      );
    }),
  );
});

it('a prompt never prints undefined, null or two blank lines in a row, whatever is absent', () => {
  always((prompt) => {
    expect(prompt).not.toMatch(/\bundefined\b|\bnull\b|\[object|\bNaN\b/);
    expect(withoutBlocks(prompt)).not.toMatch(/\n\s*\n\s*\n/);
  });
});

const OURS =
  /^#+ (Files|Other|Previous|Finished|What there|Your skills|Your conventions|Architecture|Boundaries|Builds|Hints|Plan|Features|Disciplines|Open|Part of|It is done|Drafts|The work)/;

it('no heading of a recipe stands without something under it', () => {
  always((prompt) => {
    const lines = withoutBlocks(prompt)
      .split('\n')
      .filter((line) => line.trim() !== '');
    for (const [index, line] of lines.entries()) {
      if (!OURS.test(line)) continue;
      const next = lines[index + 1] ?? '';
      expect(next, `nothing under ${line}`).not.toBe('');
      if (OURS.test(next))
        expect(next.indexOf(' '), `${next} right under ${line}`).toBeGreaterThan(line.indexOf(' '));
    }
  });
});

it('a file cannot end its own fence, and invisible characters are visible', () => {
  always((prompt) => {
    withoutBlocks(prompt);
    expect(prompt).not.toMatch(/[\0-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/);
  });
});

it('a prompt injects files up to the budget in auto, none in resources, and all in inject', () => {
  const files = Array.from({ length: 6 }, (_, index) => ({
    path: `f${index}.md`,
    level: index % 2 === 0 ? ('task' as const) : ('feature' as const),
    content: { kind: 'text' as const, text: `marker${index} ${'word '.repeat(30 * (index + 1))}` },
  }));
  fc.assert(
    fc.property(context, fc.nat(800), (given, budget_tokens) => {
      const named = {
        ...given,
        files,
        budget_tokens,
        feature: given.feature ?? {
          ...FEATURE_DEFAULTS,
          name: 'f',
          status: 'active',
          added_files: [],
          created: 0,
          updated: 0,
        },
      };
      const shown = (delivery: PromptContext['delivery']) => {
        const { prompt } = render(RECIPES.task_execution, { ...named, delivery });
        return files.filter(({ content }) => prompt.includes(content.text.trim())).length;
      };
      expect(shown('inject')).toBe(6);
      expect(shown('resources')).toBe(0);
      const words = files.filter(({ content }) =>
        render(RECIPES.task_execution, { ...named, delivery: 'auto' }).prompt.includes(content.text.trim()),
      );
      expect(
        words.reduce((sum, { content }) => sum + content.text.split(' ').length - 1, 0),
      ).toBeLessThanOrEqual(budget_tokens);
    }),
    { numRuns: tries(50) },
  );
});
