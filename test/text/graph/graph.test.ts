import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildPicture, type GraphTask } from '../../../src/domain/graph/picture.ts';
import { titleProblem } from '../../../src/domain/text/text.ts';
import { graphMermaid } from '../../../src/text/graph/graph-mermaid.ts';
import { graphSvg } from '../../../src/text/graph/graph-svg.ts';
import { graphText } from '../../../src/text/graph/graph-text.ts';
import { oneLine } from '../../../src/text/terminal/style.ts';
import { width } from '../../../src/text/terminal/table.ts';
import { acyclic } from '../../support/graphs.ts';
import { HOSTILE_TEXTS } from '../../support/hostile-text.ts';
import { initialised, runWithin, type TestProject } from '../../support/ralph.ts';
import { tries } from '../../support/tries.ts';
import { everyElement, parseXml, textOf } from '../../support/xml.ts';

const TASKS = `tasks:
  - { id: 1, title: Create the schema, status: done }
  - { id: 2, title: Add migrations, depends_on: [1], estimated_turns: 12 }
  - { id: 3, title: Retry webhooks, depends_on: [1], feature: auth }
  - { id: 4, title: Build the API, depends_on: [2], estimated_turns: 20 }
  - { id: 5, title: Build the loop, depends_on: [2, 3] }
  - { id: 6, title: Write it down, depends_on: [3], status: draft }
  - { id: 7, title: Release, depends_on: [4, 5, 2], feature: auth }
  - { id: 8, title: Look at something else, status: failed }
  - { id: 9, title: Never mind, status: skipped }
`;

async function project(
  tasks = TASKS,
): Promise<TestProject & { graph: (...args: string[]) => ReturnType<typeof runWithin> }> {
  const made = await initialised({ git: false });
  writeFileSync(
    join(made.root, '.ralph/features.yaml'),
    'features:\n  - { name: auth, display_name: Login }\n  - name: empty\n',
  );
  writeFileSync(join(made.root, '.ralph/tasks.yaml'), tasks);
  const options = { cwd: made.root, env: { HOME: made.home, PATH: process.env['PATH'] } };
  return { ...made, graph: (...args) => runWithin(['graph', ...args], options) };
}

describe('ralph graph', () => {
  it('ralph graph shows the waves, the lines between them and the critical path', async () => {
    const { graph } = await project();
    expect((await graph()).stdout).toBe(`        wave 1
●       * ● ready       #2 Add migrations
│ ●       ● ready       #3 Retry webhooks
│ │ ✗     ✗ failed      #8 Look at something else
│ │     wave 2
├─│─○   * ○ waiting     #4 Build the API  after #2
├─┼─│─○   ○ waiting     #5 Build the loop  after #2 #3
│ ~ │ │   ~ draft       #6 Write it down  after #3
│   │ │ wave 3
○───┴─┘ * ○ waiting     #7 Release  after #2 #4 #5

* critical path, 3 tasks, about 33 turns: #2 → #4 → #7
Left out: 1 done, 1 skipped. --all shows them, too.
`);
  });

  it('ralph graph shows done tasks with --all, and the neighbours of one task', async () => {
    const { graph } = await project();
    expect((await graph('--all')).stdout).toMatch(/✓ done +#1 Create the schema[\s\S]*- skipped +#9/);
    const ids = (text: string): string[] => (text.match(/(?<= {2,})#\d+/g) ?? []).sort();
    expect(ids((await graph('5')).stdout)).toEqual(['#2', '#3', '#5', '#7']);
    expect(ids((await graph('5', '--all')).stdout)).toEqual(['#1', '#2', '#3', '#5', '#7']);
    expect(ids((await graph('1')).stdout)).toEqual(['#1', '#2', '#3', '#4', '#5', '#6', '#7']);
    const { stdout } = await graph('--feature', 'auth');
    expect(ids(stdout)).toEqual(['#3', '#7']);
    expect(stdout).toContain('Not shown: 3 open tasks outside of this selection that these wait for.');
  });

  it('ralph graph --json has the nodes and edges with wave, order and critical path', async () => {
    const { json } = await project();
    expect(await json('graph', '7')).toEqual({
      nodes: [
        expect.objectContaining({ id: 2, state: 'ready', layer: 0, critical: true }),
        expect.objectContaining({ id: 3, state: 'ready', layer: 0, critical: false }),
        expect.objectContaining({ id: 4, title: 'Build the API', layer: 1, order: 0, critical: true }),
        expect.objectContaining({ id: 5, depends_on: [2, 3], layer: 1, order: 1, critical: false }),
        expect.objectContaining({ id: 7, feature: 'auth', layer: 2, order: 0, critical: true }),
      ],
      edges: expect.arrayContaining([
        { from: 2, to: 4, critical: true },
        { from: 2, to: 7, critical: false },
        { from: 3, to: 5, critical: false },
      ]),
      critical_path: { tasks: [2, 4, 7], turns: 33 },
      left_out: { done: 1, skipped: 0, elsewhere: [] },
    });
  });

  it('ralph graph says why there is nothing to draw', async () => {
    const { graph } = await project('tasks: []\n');
    expect((await graph()).stdout).toBe('No tasks yet. Add one: ralph add "What is to be done"\n');
    expect((await graph('--feature', 'empty')).stdout).toBe('No such tasks.\n');
    expect(textOf(parseXml((await graph('--svg')).stdout))).toContain(
      'No tasks yet. Add one: ralph add "What',
    );
    expect((await graph('--mermaid')).stdout).toContain('No tasks yet#46; Add one#58;');
    const { graph: finished } = await project('tasks:\n  - { title: One, status: done }\n');
    expect((await finished()).stdout).toBe('Left out: 1 done. --all shows them, too.\n');
    expect((await finished('--all', '--svg')).stdout).toContain('<title>Dependencies of 1 task</title>');
  });

  const WRONG: [string, string[], number, RegExp][] = [
    ['a task that is not there', ['99'], 1, /There is no task 99; ralph list/],
    ['a feature that is not there', ['--feature', 'aut'], 1, /no feature "aut"; did you mean "auth"\?/],
    ['what is no number', ['x'], 2, /give a number/],
    [
      'two forms at once',
      ['--svg', '--mermaid'],
      2,
      /'--svg' cannot be used with option '--mermaid'|'--mermaid' cannot be used with option '--svg'/,
    ],
    ['a form and JSON', ['--mermaid', '--json'], 2, /'--mermaid' cannot be used with option '--json'/],
    [
      'a file and JSON',
      ['--output', 'a', '--json'],
      2,
      /'--output <file>' cannot be used with option '--json'/,
    ],
    ['no file', ['--output', ''], 1, /name of the file is empty/],
    ['a folder', ['--output', '.ralph'], 1, /\.ralph is a folder; name a file in it/],
    ['a link', ['--output', 'link'], 1, /link is not a file that can be replaced/],
    ['a file as a folder', ['--output', 'file/graph.svg'], 1, /cannot be written \(\w+\)/],
  ];
  it('ralph graph refuses a wrong call in one sentence, and writes nothing', async () => {
    const { root, graph } = await project();
    writeFileSync(join(root, 'file'), 'kept');
    symlinkSync(join(root, 'file'), join(root, 'link'));
    for (const [about, args, code, sentence] of WRONG) {
      const { stdout, stderr, code: ended } = await graph(...args);
      expect({ about, stdout, code: ended }).toEqual({ about, stdout: '', code });
      expect(stderr, about).toMatch(/^ralph: [^\n]+\n$/);
      expect(stderr, about).toMatch(sentence);
    }
    expect(readFileSync(join(root, 'file'), 'utf8')).toBe('kept');
    expect(existsSync(join(root, 'a'))).toBe(false);
  });

  it('ralph graph --output replaces a file, and prints its path', async () => {
    const { root, graph } = await project();
    const path = join(root, 'docs', 'graph.svg');
    mkdirSync(join(root, 'docs'));
    writeFileSync(path, 'old');
    expect((await graph('--svg', '--output', 'docs/graph.svg')).stdout).toBe(`${path}\n`);
    expect(readFileSync(path, 'utf8')).toBe((await graph('--svg')).stdout);
    await graph('--output', 'new/graph.txt');
    expect(readFileSync(join(root, 'new/graph.txt'), 'utf8')).toBe((await graph()).stdout);
  });
});

it('completion of ralph graph offers tasks and features', async () => {
  const { root, home, graph } = await project();
  await graph();
  const complete = async (...words: string[]): Promise<string> =>
    (await runWithin(['complete', '--', 'graph', ...words], { cwd: root, env: { HOME: home } })).stdout;
  expect(await complete('')).toContain('7\tRelease');
  expect(await complete('--feature', '')).toContain('auth\tLogin');
});

const task = (id: number, title: string, depends_on: readonly number[] = []): GraphTask => ({
  id,
  title,
  status: 'pending',
  feature: null,
  discipline: null,
  estimated_turns: null,
  open_blockers: depends_on.length,
  not_before: null,
  depends_on,
});

const drawn = (tasks: readonly GraphTask[]) =>
  buildPicture({ tasks, elsewhere: [] }, { all: true, around: null, now: 0 });
const LOOK = { columns: 80, color: false };

const title = fc
  .oneof(
    fc.constantFrom(...HOSTILE_TEXTS),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }),
    fc.string({ unit: fc.constantFrom(...'"`#;&<>[]{}()|%-=~:@\\ \tßﬂaTB'), minLength: 1, maxLength: 30 }),
  )
  .filter((text) => titleProblem(text) === null);

const hostile = fc
  .tuple(acyclic(12), fc.array(title, { minLength: 12, maxLength: 12 }))
  .map(([graph, titles]) =>
    graph.map(({ id, depends_on }, index) => task(id, titles[index] ?? '', depends_on)),
  );

const HARMLESS = ['svg', 'title', 'style', 'rect', 'g', 'path', 'text'];

describe('whatever stands in a title', () => {
  it('a hostile title stays text in SVG', () => {
    fc.assert(
      fc.property(hostile, (tasks) => {
        const root = parseXml(graphSvg(drawn(tasks), '', ''));
        const elements = everyElement(root);
        expect(elements.filter(({ name }) => !HARMLESS.includes(name))).toEqual([]);
        const attributes = elements.slice(1).flatMap((element) => Object.entries(element.attributes));
        expect(
          attributes.filter(
            ([name, value]) => /^on|href|src|style|xmlns/i.test(name) || /:\/\/|url\(/.test(value),
          ),
        ).toEqual([]);
        const told = elements.filter(({ name }) => name === 'title').map(textOf);
        const wanted = tasks.map(({ id, title: text }) => `#${id} ${xmlText(oneLine(text))} (`);
        expect(wanted.filter((words) => !told.some((title) => title.includes(words)))).toEqual([]);
      }),
      { numRuns: tries(60) },
    );
  });

  it('a hostile title stays text in Mermaid', () => {
    fc.assert(
      fc.property(hostile, (tasks) => {
        if (tasks.length === 0) return;
        const [first, ...lines] = graphMermaid(drawn(tasks), '', '').split('\n');
        expect(first).toBe('flowchart LR');
        const labels = new Map<number, string>();
        for (const line of lines) {
          const [, id, label] = /^ {2}t(\d+)\["([^"]*)"\]$/.exec(line) ?? [];
          if (label !== undefined) labels.set(Number(id), label);
          else expect(line).toMatch(/^ {2}(t\d+ (-->|==>) t\d+|classDef \w+ [\w:#-]+|class [t\d,]+ \w+)$/);
        }
        for (const { id, title: text } of tasks) {
          const [, label = ''] = labels.get(id)?.split('<br/>') ?? [];
          expect(label).toMatch(/^(#\d+;|[\p{L}\p{N}\p{M} ])*$/u);
          expect(label).not.toMatch(/direction\s|[ßﬂ]/);
          expect(label.replace(/#(\d+);/g, (_, point) => String.fromCodePoint(Number(point)))).toBe(
            oneLine(text),
          );
        }
      }),
      { numRuns: tries(60) },
    );
  });

  it('a hostile title stays within its line, and the line within the terminal', () => {
    fc.assert(
      fc.property(hostile, fc.integer({ min: 60, max: 120 }), (tasks, columns) => {
        if (tasks.length === 0) return;
        const lines = graphText(drawn(tasks), '', { columns, color: false }).split('\n');
        for (const line of lines) {
          expect(width(line)).toBeLessThanOrEqual(columns);
          expect(line).not.toMatch(/[\0-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/);
        }
        for (const { id } of tasks)
          expect(
            lines.filter((line) => new RegExp(`(○|●) (waiting|ready) +#${id} `).test(line)),
          ).toHaveLength(1);
      }),
      { numRuns: tries(60) },
    );
  });
});

/** As escapeXml leaves it: what no XML may hold is replaced. */
const xmlText = (text: string): string => text.replace(/[\ufffe\uffff]/g, '\ufffd');

describe('5,000 tasks', () => {
  // Each waits for two before it, and the last for all of them.
  const many = Array.from({ length: 5_000 }, (_, index) =>
    task(
      index + 1,
      `Task ${index + 1}`,
      index === 4_999
        ? Array.from({ length: 4_999 }, (_, other) => other + 1)
        : index < 50
          ? []
          : [index - (index % 37), index - 40],
    ),
  );

  it('ralph graph lists the first of 5,000 tasks and counts the rest', () => {
    const picture = drawn(many);
    const text = graphText(picture, '', LOOK);
    expect(text.split('\n').length).toBeLessThan(400);
    expect(text.replaceAll('\n', ' ')).toMatch(
      /4800 of 5000 tasks are not listed.*narrow it with a task or --feature, or draw all of it with --svg/,
    );
    const root = parseXml(graphSvg(picture, '', ''));
    expect(everyElement(root).filter(({ attributes }) => attributes['class'] === 'box')).toHaveLength(5_000);
    expect(graphMermaid(picture, '', '').split('\n')[1]).toMatch(
      /^ {2}%% \d+ edges and \d+ characters: past the limits/,
    );
  });

  it('ralph graph lists the tasks around the chosen one of 5,000', () => {
    const text = graphText(
      buildPicture({ tasks: many, elsewhere: [] }, { all: true, around: 2_500, now: 0 }),
      '',
      LOOK,
    );
    expect(text).toContain('#2500 Task 2500');
    expect(text).not.toMatch(/wave 1\b/);
  });

  it('ralph graph lists the critical path first in a wave of 5,000 tasks', () => {
    const wide = Array.from({ length: 5_000 }, (_, index) => ({
      ...task(index + 1, `Task ${index + 1}`),
      estimated_turns: index === 4_321 ? 9 : 1,
    }));
    const text = graphText(drawn(wide), '', LOOK);
    expect(text).toContain('wave 1, and 4960 more');
    expect(text).toContain('#4322 Task 4322');
  });
});
