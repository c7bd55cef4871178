import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { slotsFolder } from '../../src/app/sessions/slots.ts';
import { signalsOfSession } from '../../src/store/sessions/signals.ts';
import { blocksOf, runClaude, scriptedModel, toolResults } from '../support/claude.ts';
import { claimed } from '../support/mcp.ts';
import { SECRET_ENV } from '../support/planted-secrets.ts';
import { initialised } from '../support/ralph.ts';
import { scripted } from '../support/scripted-agent.ts';

it('Claude Code reads the feature, pulls its prompt, says each of the eight verbs, and the rows are there', async () => {
  const project = await initialised();
  mkdirSync(join(project.root, 'docs'));
  writeFileSync(join(project.root, 'docs/auth.md'), 'Tokens are hashed.\n');
  writeFileSync(
    join(project.root, '.ralph/features.yaml'),
    'features:\n  - name: auth\n    description: Sign-in.\n    knowledge_paths: [docs/auth.md]\n',
  );
  for (let id = 1; id <= 6; id++) await project.json('add', `Later ${id}`, '--priority', 'low');
  await project.json('add', 'Log in', '--feature', 'auth', '--priority', 'high');
  const { env, queue } = await claimed(project, 'e2e-1');
  const said = [
    ['learned', { text: 'Tests need NODE_ENV=test.', kind: 'gotcha' }],
    ['flag', { what: 'A typo.', severity: 'info', category: 'bug' }],
    ['suggest', { what: 'Fix the typo', kind: 'new_task', why: 'It hurts.' }],
    ['blocked', { on: 'the network', kind: 'external' }],
    ['ask', { question: 'Which region?', blocking: true }],
    ['partial', { summary: 'Half.', remaining: 'Half.' }],
    ['stuck', { reason: 'Cannot.' }],
    ['done', { summary: 'All.' }],
  ] as const;
  const model = await scriptedModel([
    { tool: 'ListMcpResourcesTool', input: { server: 'ralph' } },
    { tool: 'ReadMcpResourceTool', input: { server: 'ralph', uri: 'ralph://features/auth' } },
    {
      tool: 'ReadMcpResourceTool',
      input: { server: 'ralph', uri: 'ralph://features/auth/files/docs/auth.md' },
    },
    ...said.map(([verb, input]) => ({ tool: `mcp__ralph__${verb}`, input })),
  ]);
  const ran = await runClaude(project, model, '/mcp__ralph__task_execution 7', env);
  expect(ran).toMatchObject({ code: 0 });
  const [first] = model.requests.filter(({ tools = [] }) => tools.length > 0);
  expect(first?.tools?.filter(({ name }) => name.startsWith('mcp__')).map(({ name }) => name)).toHaveLength(
    9,
  );
  const prompt = blocksOf(first ?? { messages: [] }, 'user').map(({ text }) => text);
  expect(prompt.join('\n')).toContain('## Your task: #7 Log in');
  const [listed, feature, file, ...answers] = toolResults(model);
  expect(listed).toContain('ralph://features/auth');
  expect(feature).toContain('Sign-in.');
  expect(file).toContain('Tokens are hashed.');
  expect(answers.every((answer) => answer.startsWith('Recorded'))).toBe(true);
  const rows = await queue.store.read((db) => signalsOfSession(db, 'e2e-1'));
  expect(rows.map(({ signal }) => signal.verb)).toEqual(said.map(([verb]) => verb));
});

it('Claude Code takes a task by itself, works, says done, and the task is done', async () => {
  const { project, git } = await scripted({});
  await project.json('add', 'Write hello.txt');
  // As docs/clients.md says: the slots are outside of the folder in which the client was started.
  const slot = join(slotsFolder({ HOME: project.home }, project, { folder: null }), 'work-1/tree');
  const model = await scriptedModel([
    { tool: 'mcp__ralph__next_task', input: {} },
    { tool: 'Write', input: { file_path: join(slot, 'hello.txt'), content: 'hello\n' } },
    { tool: 'Read', input: { file_path: join(slot, 'hello.txt') } },
    { tool: 'mcp__ralph__ask', input: { question: 'A full stop at the end?', blocking: false } },
    { tool: 'mcp__ralph__done', input: { summary: 'hello.txt says hello.' } },
    { tool: 'mcp__ralph__next_task', input: {} },
  ]);
  const rules = ['mcp__ralph', 'Read(~/.local/state/ralph/slots/**)', 'Edit(~/.local/state/ralph/slots/**)'];
  const ran = await runClaude(project, model, 'Work on the backlog.', {}, {}, [
    '--allowedTools',
    rules.join(','),
  ]);
  expect(ran).toMatchObject({ code: 0 });
  const [task, written, shown, asked, done, nothing] = toolResults(model);
  expect(written).toContain('created successfully');
  expect(shown).toContain('hello');
  expect(task).toContain('## Your task: #1 Write hello.txt');
  expect(task).toContain(`Work in ${slot}:`);
  expect(asked).toContain('the person did not answer it now');
  expect(done).toContain('Task 1 is done');
  expect(nothing).toBe('Nothing is left: every task is done or skipped.');
  expect(await project.json('show', '1')).toMatchObject({
    status: 'done',
    receipt: { summary: 'hello.txt says hello.', gates: [] },
  });
  expect(git('show', 'HEAD:hello.txt')).toBe('hello\n');
});

it('Claude Code is given the whole of a long prompt by next_task', async () => {
  const project = await initialised({ git: false });
  mkdirSync(join(project.root, 'docs'));
  writeFileSync(join(project.root, 'docs/long.md'), `${'It has rules. '.repeat(5_000)}\nThe last rule.\n`);
  writeFileSync(
    join(project.root, '.ralph/features.yaml'),
    'features:\n  - name: rules\n    knowledge_paths: [docs/long.md]\n',
  );
  await project.json('add', 'Follow the rules', '--feature', 'rules');
  const model = await scriptedModel([{ tool: 'mcp__ralph__next_task', input: {} }]);
  await runClaude(project, model, 'Work on the backlog.');
  const [task = ''] = toolResults(model);
  expect(task.length).toBeGreaterThan(60_000);
  expect(task).toContain('The last rule.');
  expect(task).toContain('## What to do now');
});

it('Claude Code resolves the reference to a secret, so that the server knows what to mask', async () => {
  const project = await initialised();
  const secret = SECRET_ENV['DEPLOY_TOKEN'] ?? '';
  const model = await scriptedModel([
    { tool: 'mcp__ralph__create_tasks', input: { tasks: [{ title: `Deploy with ${secret}` }] } },
  ]);
  const reference = { DEPLOY_TOKEN: `\${DEPLOY_TOKEN}` };
  const own = { DEPLOY_TOKEN: secret, CLAUDE_CODE_MCP_ALLOWLIST_ENV: '1' };
  expect(await runClaude(project, model, 'Plan.', reference, own)).toMatchObject({ code: 0 });
  expect(await project.json('show', '1')).toMatchObject({ title: 'Deploy with <masked>' });
});
