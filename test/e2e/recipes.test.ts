// Each recipe, driven by the real Claude Code; only the model is scripted. Each changes the queue by its own tools alone.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { claudeEnv, scriptedModel, type Turn, toolResults } from '../support/claude.ts';
import { initialised, runRalph, runWithin, type TestProject } from '../support/ralph.ts';
import { FINISHED, type Request, type ScriptedModel, serveModel } from '../support/scripted-model.ts';

/** What no session that plans may do. */
const forbidden = (root: string): Turn[] => [
  { tool: 'Write', input: { file_path: join(root, 'written.txt'), content: 'x\n' } },
  { tool: 'Bash', input: { command: 'touch written.txt', description: 'x' } },
  { tool: 'mcp__ralph__set_task_status', input: { id: 1, status: 'skipped' } },
];

const within = (project: TestProject, model: ScriptedModel, ...args: string[]) =>
  runWithin(args, { cwd: project.root, env: claudeEnv(project, model) });

const ralphTools = ({ tools = [] }: Request): string[] =>
  tools.flatMap(({ name }) => /^mcp__ralph__(.*)/.exec(name)?.[1] ?? []).sort();

it('plan: a specification becomes a feature with tasks, and nothing else is touched', async () => {
  const project = await initialised();
  mkdirSync(join(project.root, 'specs'));
  writeFileSync(join(project.root, 'specs/orders.md'), '# Orders\n\nPeople can order lamps.\n');
  const model = await scriptedModel([
    ...forbidden(project.root),
    { tool: 'Read', input: { file_path: join(project.root, 'specs/orders.md') } },
    {
      tool: 'mcp__ralph__create_feature',
      input: {
        name: 'orders',
        spec_file: 'specs/orders.md',
        priority: 1,
        acceptance_criteria: ['A lamp can be ordered'],
      },
    },
    {
      tool: 'mcp__ralph__create_tasks',
      input: {
        tasks: [
          { title: 'Create the table', feature: 'orders' },
          { title: 'List', depends_on: ['@1'] },
        ],
      },
    },
    { text: 'Planned.' },
  ]);
  const { code, stdout } = await within(project, model, 'plan', '--yes');
  expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringMatching(/Applied \(\$0\.\d\d\)/) });
  const [write, bash, foreign, read] = toolResults(model);
  for (const refused of [write, bash, foreign]) expect(refused).toMatch(/No such tool/);
  expect(read).toContain('People can order lamps.');
  const [first] = model.requests.filter(({ tools = [] }) => tools.length > 0);
  expect(ralphTools(first ?? { messages: [] })).toEqual(['create_feature', 'create_tasks', 'update_task']);
  expect(JSON.stringify(first)).toContain('every Markdown file of `specs/orders.md`');
  expect(existsSync(join(project.root, 'written.txt'))).toBe(false);
  expect(await project.json('list')).toMatchObject([
    { title: 'Create the table', feature: 'orders', status: 'pending' },
    { title: 'List', depends_on: [1], status: 'pending' },
  ]);
});

const PAGE = `People keep asking where their lamp is. We need tracking, at least a link.
And the export should have the VAT in a column of its own, accounting complained.
Oh, and maybe dark mode? Not sure.
`;

it('braindump, enrichment, task_execution: a page becomes drafts, the drafts a queue, and the queue work', async () => {
  const project = await initialised();
  writeFileSync(join(project.root, 'page.md'), PAGE);
  const enrich = (id: number, more: object = {}): Turn => ({
    tool: 'mcp__ralph__enrich_task',
    input: { id, pseudocode: `1. Write ${id}.txt.`, acceptance_criteria: [`${id}.txt is there`], ...more },
  });
  const titles = ['Link to the tracking of an order', 'Export the VAT'];
  const scripts: [of: string, turns: Turn[]][] = [
    [
      'create_tasks',
      [
        ...forbidden(project.root),
        { tool: 'mcp__ralph__create_tasks', input: { tasks: titles.map((title) => ({ title })) } },
      ],
    ],
    ['enrich_task', [...forbidden(project.root), enrich(1), enrich(2, { keep_draft: true })]],
    [
      'done',
      [
        { tool: 'Bash', input: { command: 'touch work-$RANDOM$RANDOM.txt', description: 'x' } },
        { tool: 'mcp__ralph__done', input: { summary: 'Written.' } },
      ],
    ],
  ];
  const model = await serveModel((asked, said) => {
    const turns = scripts.find(([tool]) => ralphTools(asked).includes(tool))?.[1] ?? [];
    return turns[said] ?? FINISHED;
  });
  onTestFinished(() => model.close());

  expect(await within(project, model, 'braindump', 'page.md')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/2 drafts, \$0\.\d\d\./),
  });
  expect(JSON.stringify(model.requests)).toContain('accounting complained');
  expect(await project.json('list', '--status', 'draft')).toHaveLength(2);
  expect(await within(project, model, 'enrich')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('2 drafts enriched'),
  });
  expect(await project.json('list')).toMatchObject([
    { status: 'pending', pseudocode: '1. Write 1.txt.' },
    { status: 'draft', enriched_at: expect.any(Number) },
  ]);
  expect(existsSync(join(project.root, 'written.txt'))).toBe(false);
  await project.json('approve', '2');
  const options = { cwd: project.root, env: claudeEnv(project, model) };
  expect(await runRalph(['run'], options)).toMatchObject({ code: 0, stderr: '' });
  expect(await project.json('list')).toMatchObject(titles.map((title) => ({ title, status: 'done' })));
  expect(await project.json('show', '2')).toMatchObject({ receipt: { diff_stat: { files: 1 } } });
});
