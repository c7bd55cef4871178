// Each session makes the next one smarter: the real Claude Code learns something, and the next one is told.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { slotsFolder } from '../../src/app/sessions/slots.ts';
import { blocksOf, claudeEnv, type Turn } from '../support/claude.ts';
import { initialised, runRalph } from '../support/ralph.ts';
import { FINISHED, type Request, serveModel, taskOf, textOf } from '../support/scripted-model.ts';

const LEARNED = 'The auth middleware returns { user, token }, not just { token }';

it('what a session learns, adds and asks, and what a person answers, is in the next request of its feature and in no other', async () => {
  const project = await initialised();
  writeFileSync(join(project.root, 'limits.txt'), 'At most five failures.\n');
  writeFileSync(
    join(project.root, '.ralph/features.yaml'),
    'features:\n  - { name: auth }\n  - { name: billing }\n',
  );
  writeFileSync(join(project.root, '.ralph/config.yaml'), 'gates: [{ name: test, command: "true" }]\n');
  const git = (...args: string[]) =>
    execFileSync('git', args, {
      cwd: project.root,
      env: { HOME: project.home, PATH: process.env['PATH'] },
    });
  git('add', '.');
  git('-c', 'user.name=A', '-c', 'user.email=a@example.com', 'commit', '-qm', 'Begin');
  await project.json('trust', '--yes');
  await project.json('add', 'Write the middleware', '--feature', 'auth');
  await project.json('add', 'Use the middleware', '--feature', 'auth', '--kind', 'investigate');
  await project.json('add', 'Send an invoice', '--feature', 'billing', '--kind', 'investigate');
  const slots = slotsFolder({ HOME: project.home }, project, { folder: null });
  const slot = join(slots, 'work-1/tree');
  const done: Turn = { tool: 'mcp__ralph__done', input: { summary: 'It is written.' } };
  const first: Turn[] = [
    { tool: 'Write', input: { file_path: join(slot, 'auth.txt'), content: 'auth\n' } },
    { tool: 'Bash', input: { command: 'exit 4', description: 'x' } },
    {
      tool: 'mcp__ralph__learned',
      input: { text: LEARNED, kind: 'gotcha', rationale: 'the client needs both', scope: 'feature' },
    },
    { tool: 'mcp__ralph__add_context_file', input: { path: 'limits.txt', scope: 'feature' } },
    { tool: 'mcp__ralph__ask', input: { question: 'Count by account or by address?', blocking: false } },
    done,
  ];
  const prompts = new Map<number, string>();
  const model = await serveModel((asked: Request, said) => {
    if ((asked.tools ?? []).length === 0) return FINISHED;
    const task = taskOf(asked) ?? 0;
    if (said === 0) prompts.set(task, blocksOf(asked, 'user').map(textOf).join('\n'));
    return (task === 1 ? first : [done])[said] ?? FINISHED;
  });
  onTestFinished(() => model.close());
  const run = (...args: string[]) =>
    runRalph(['run', ...args], { cwd: project.root, env: claudeEnv(project, model) });
  const once = await run('--once');
  expect(once).toMatchObject({ code: 0 });
  expect(once.stdout).toContain('? Q1 #1: Count by account or by address?');
  await project.json('answer', '1', 'By address');
  expect(await run()).toMatchObject({ code: 0 });

  expect(prompts.get(1)).not.toContain(LEARNED);
  expect(prompts.get(2)).toMatch(
    /### What earlier sessions learned\n\n.*\n\n\*\*gotcha\*\*\n- «The auth middleware returns \{ user, token \}, not just \{ token \}» \(why: «the client needs both»\)\n/,
  );
  expect(prompts.get(2)).toContain(
    '### limits.txt\n\nA session of task #1 added it.\n\n```txt\nAt most five failures.\n```',
  );
  expect(prompts.get(2)).toMatch(
    /## What people decided\n\n.*\n\n- «Count by account or by address\?»\n {2}\*\*By address\*\*/,
  );
  expect(prompts.get(3)).not.toMatch(/limits\.txt|By address/);
  // By the learning alone: newer clients put the subjects of the latest commits beside the prompt.
  expect(prompts.get(3)).not.toContain('What earlier sessions learned');
  expect(prompts.get(3)).not.toContain('the client needs both');
  expect(await project.json('show', '2')).toMatchObject({ receipt: { learnings: [1] } });
  expect(await project.json('learn', 'list', '--stats')).toMatchObject([
    { id: 1, feature: 'auth', category: 'gotcha', body: LEARNED, confirmations: 0, given: 1, passed: 1 },
  ]);
  const [line = ''] = readFileSync(join(project.root, '.ralph/memory/auth.jsonl'), 'utf8').split('\n');
  expect(JSON.parse(line)).toMatchObject({
    task: 1,
    outcome: 'done',
    verb: 'done',
    files: ['auth.txt'],
    commands: [{ command: 'exit 4', exit: 4 }],
    errors: ['Exit code 4'],
    learned: [{ body: LEARNED, category: 'gotcha', reason: 'the client needs both' }],
    turns: expect.any(Number),
  });
});
