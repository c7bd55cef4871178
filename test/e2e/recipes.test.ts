// Each recipe, driven by the real Claude Code; only the model is scripted. Each changes the queue by its own tools alone.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { blocksOf, claudeEnv, runClaude, scriptedModel, type Turn, toolResults } from '../support/claude.ts';
import { initialised, runRalph, runWithin, type TestProject } from '../support/ralph.ts';
import { FINISHED, type Request, type ScriptedModel, serveModel, textOf } from '../support/scripted-model.ts';

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
    { tool: 'ListMcpResourcesTool', input: { server: 'ralph' } },
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
  const [write, bash, foreign, read, resources] = toolResults(model);
  for (const refused of [write, bash, foreign]) expect(refused).toMatch(/No such tool/);
  expect(read).toContain('People can order lamps.');
  expect(resources).toContain('ralph://features');
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
  expect(await runRalph(['run', '--once'], options)).toMatchObject({ code: 0, stderr: '' });
  expect(await project.json('list')).toMatchObject([
    { title: titles[0], status: 'done' },
    { title: titles[1], status: 'pending' },
  ]);
  expect(await project.json('show', '1')).toMatchObject({ receipt: { diff_stat: { files: 1 } } });
});

it('opus_review: work that only adds files is in the request of its reviewer', async () => {
  const project = await initialised();
  writeFileSync(join(project.root, '.ralph/config.yaml'), 'review: { when: always }\neffort: low\n');
  await project.json('trust', '--yes');
  await project.json('add', 'Write hello.ts');
  const work: Turn[] = [
    {
      tool: 'Bash',
      input: {
        command: "mkdir -p src && echo 'export const hello = 1;' > src/hello.ts",
        description: 'x',
      },
    },
    { tool: 'mcp__ralph__done', input: { summary: 'hello.ts is there.' } },
  ];
  // The reviewer may look and judge, and write nothing.
  const review: Turn[] = [...forbidden(project.root).slice(0, 1), { tool: 'mcp__ralph__approve', input: {} }];
  const model = await serveModel((asked, said) => {
    if ((asked.tools ?? []).length === 0) return FINISHED;
    return (ralphTools(asked).includes('approve') ? review : work)[said] ?? FINISHED;
  });
  onTestFinished(() => model.close());
  const options = { cwd: project.root, env: claudeEnv(project, model) };
  expect(await runRalph(['run'], options)).toMatchObject({ code: 0, stderr: '' });
  expect(await project.json('show', '1')).toMatchObject({ status: 'done', attempts: 0 });
  expect(existsSync(join(project.root, 'written.txt'))).toBe(false);
  const [asked] = model.requests.filter((request) => ralphTools(request).includes('approve'));
  expect(asked).toMatchObject({ output_config: { effort: 'low' } });
  const prompt = blocksOf(asked ?? { messages: [] }, 'user')
    .map(textOf)
    .join('\n');
  expect(prompt).toContain('hello.ts is there.');
  expect(prompt).toContain('## Here is the work to review');
  expect(prompt).toContain('+++ b/src/hello.ts\n@@ -0,0 +1 @@\n+export const hello = 1;');
});

describe('a talk', () => {
  const TALKS: [recipe: string, tools: string[], turns: Turn[]][] = [
    [
      'ramble',
      ['append_learning', 'create_feature', 'create_tasks'],
      [{ tool: 'mcp__ralph__create_feature', input: { name: 'accounts' } }],
    ],
    [
      'discuss',
      ['append_learning', 'create_tasks'],
      [
        {
          tool: 'mcp__ralph__append_learning',
          input: { text: 'Order numbers are random.', kind: 'decision', rationale: 'They leak nothing.' },
        },
      ],
    ],
  ];
  it.each(TALKS)('%s has its own tools, and no other', async (recipe, tools, turns) => {
    const project = await initialised();
    const [, , foreign] = forbidden(project.root);
    const model = await scriptedModel([...(foreign === undefined ? [] : [foreign]), ...turns]);
    const ran = await runClaude(project, model, `/mcp__ralph__${recipe} accounts`, { RALPH_RECIPE: recipe });
    expect(ran).toMatchObject({ code: 0 });
    const [first] = model.requests.filter((request) => ralphTools(request).length > 0);
    expect(ralphTools(first ?? { messages: [] })).toEqual(tools);
    const [refused, answer] = toolResults(model);
    expect(refused).toMatch(/No such tool/);
    expect(answer).toMatch(/^Feature "accounts" is there|^Kept\./);
  });

  it("yap: ralph talk opens Claude Code on the terminal, which has Ralph's tools from its first turn on", async () => {
    const project = await initialised();
    let isOver = false;
    const model = await serveModel((asked) => {
      if ((asked.tools ?? []).length === 0) return FINISHED;
      isOver =
        JSON.stringify(asked.messages).includes('Added as drafts') ||
        !ralphTools(asked).includes('create_tasks');
      return isOver
        ? FINISHED
        : { tool: 'mcp__ralph__create_tasks', input: { tasks: [{ title: 'Greet by name' }] } };
    });
    onTestFinished(() => model.close());
    const said = await onTerminal(project, model, "talk yap 'the mail says Dear customer'", () => isOver);
    expect(said).toContain('While you talked: 1 new task, 0 new learnings.');
    const [first] = model.requests.filter(({ tools = [] }) => tools.length > 0);
    expect(JSON.stringify(first)).toContain('the mail says Dear customer');
    expect(JSON.stringify(first?.system)).toContain('## How to listen');
    expect(first?.tools?.map(({ name }) => name)).not.toContain('Write');
    expect(await project.json('list')).toMatchObject([{ title: 'Greet by name', status: 'draft' }]);
  });
});

/** Claude Code gives the terminal back. */
const GIVEN_BACK = '\x1b[?2004l';

/** In a pseudo terminal; once the talk is over, the person presses Ctrl-C until Claude Code ends. */
async function onTerminal(
  project: TestProject,
  model: ScriptedModel,
  line: string,
  isOver: () => boolean,
): Promise<string> {
  const env: NodeJS.ProcessEnv = {
    ...claudeEnv(project, model),
    TERM: 'xterm-256color',
    SHELL: '/bin/sh',
  };
  const seen = {
    hasCompletedOnboarding: true,
    projects: { [project.root]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
    customApiKeyResponses: { approved: [String(env['ANTHROPIC_API_KEY']).slice(-20)], rejected: [] },
  };
  writeFileSync(join(project.home, '.claude.json'), JSON.stringify(seen));
  const command = `stty cols 100 rows 30; exec '${process.execPath}' '${inject('ralph')}' ${line}`;
  const terminal = spawn('script', ['-qec', command, '/dev/null'], { cwd: project.root, env });
  let output = '';
  terminal.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const press = (): void => {
    if (isOver() && !output.includes(GIVEN_BACK)) terminal.stdin.write('\x03');
  };
  // At once after a stall, what has been printed meanwhile would not have been read.
  const pressing = setInterval(() => setImmediate(press), 100);
  await new Promise((ended) => terminal.once('close', ended));
  clearInterval(pressing);
  return output;
}
