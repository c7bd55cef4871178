// The whole of it: ralph run, the real Claude Code, the real MCP server, gates and git; only the model is scripted.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findProject } from '../../src/host/project.ts';
import { carriersOf } from '../../src/host/reap.ts';
import {
  blocksOf,
  claudeEnv,
  type ScriptedModel,
  scriptedModel,
  type Turn,
  toolResults,
} from '../support/claude.ts';
import { initialised, type Ran, runRalph, type TestProject } from '../support/ralph.ts';

async function runWith(
  turns: (root: string) => Turn[],
  config = '',
  args = ['--max-sessions', '1'],
): Promise<{ project: TestProject; model: ScriptedModel; ran: Ran; task: unknown }> {
  const project = await initialised();
  writeFileSync(join(project.root, '.ralph/config.yaml'), config);
  await project.json('trust', '--yes');
  await project.json('add', 'Write hello.txt');
  const model = await scriptedModel(turns(project.root));
  const options = { cwd: project.root, env: claudeEnv(project, model) };
  const ran = await runRalph(['run', ...args], options);
  return { project, model, ran, task: await project.json('show', '1') };
}

const write = (root: string): Turn => ({
  tool: 'Write',
  input: { file_path: join(root, 'hello.txt'), content: 'hello\n' },
});
const done: Turn = { tool: 'mcp__ralph__done', input: { summary: 'hello.txt says hello.' } };

describe('a session of the real Claude Code', () => {
  it('that does the work is proven, committed and paid for in the receipt', async () => {
    const { project, model, ran, task } = await runWith(
      (root) => [write(root), done],
      'gates: [{ name: test, command: "grep -q hello hello.txt" }]\n',
    );
    expect(ran).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/✓ #1 Write hello\.txt .*gates 1\/1 {2}[0-9a-f]{7}/),
    });
    expect(task).toMatchObject({
      status: 'done',
      receipt: {
        commit: expect.stringMatching(/^[0-9a-f]{40}$/),
        gates: [{ passed: true }],
        turns: expect.any(Number),
        diff_stat: { files: 1 },
      },
    });
    const [first] = model.requests.filter(({ tools = [] }) => tools.length > 0);
    expect(JSON.stringify(first?.system)).toContain('ONE TASK PER LOOP');
    expect(JSON.stringify(blocksOf(first ?? { messages: [] }, 'user'))).toContain(
      '## Your task: #1 Write hello.txt',
    );
    // Nothing of the session's own files that could hold a secret is left.
    const sessions = join(findProject(project.root).stateDir, 'sessions');
    const [session = ''] = readdirSync(sessions);
    expect(existsSync(join(sessions, session, 'mcp.json'))).toBe(false);
    expect(readFileSync(join(sessions, session, 'stream.jsonl'), 'utf8')).not.toContain(
      'dummy-key-of-a-test',
    );
  });

  it('that forgets its closing verb is asked for it', async () => {
    const { model, task } = await runWith((root) => [write(root), { text: 'I am finished.' }, done]);
    expect(task).toMatchObject({ status: 'done' });
    expect(JSON.stringify(model.requests.at(-1))).toContain('This session has no closing verb yet');
  });

  it('that never says one is stuck', async () => {
    const { task } = await runWith(() => [{ text: 'a' }, { text: 'b' }, { text: 'c' }, { text: 'd' }]);
    expect(task).toMatchObject({ status: 'pending', stuck_count: 1 });
  });

  it("cannot touch Ralph's own files", async () => {
    const { project, model, task } = await runWith((root) => [
      { tool: 'Bash', input: { command: 'rm -rf .ralph', description: 'x' } },
      { tool: 'Bash', input: { command: 'git clean -ffdx', description: 'x' } },
      { tool: 'Write', input: { file_path: join(root, '.ralph/config.yaml'), content: 'gates: []' } },
      done,
    ]);
    for (const refused of toolResults(model).slice(0, 3))
      expect(refused).toMatch(/off limits|denied|permission/i);
    expect(existsSync(join(project.root, '.ralph/tasks.yaml'))).toBe(true);
    expect(task).toMatchObject({ status: 'done' });
  });

  it('that hangs in silence is ended with all it started, and its task goes back', async () => {
    const detached =
      'setsid sh -c "echo \\$RALPH_SESSION_ID > id; exec sleep 600" </dev/null >/dev/null 2>&1 &';
    const { project, task } = await runWith(
      () => [
        {
          tool: 'Bash',
          input: { command: `${detached} while [ ! -s id ]; do sleep 0.05; done`, description: 'x' },
        },
        { silence: true },
      ],
      'limits: { idle_seconds: 3 }\n',
    );
    expect(task).toMatchObject({ status: 'pending', stuck_count: 1, sessions: [{ outcome: 'stuck' }] });
    const id = readFileSync(join(project.root, 'id'), 'utf8').trim();
    expect(carriersOf(`RALPH_SESSION_ID=${id}`)).toEqual([]);
  });

  it('that reaches its limit of turns with changed files has done a part of it', async () => {
    const { task } = await runWith(
      (root) => [write(root), write(root), write(root)],
      'limits: { max_turns: 2 }\n',
    );
    expect(task).toMatchObject({ status: 'pending', stuck_count: 0, sessions: [{ outcome: 'partial' }] });
  });

  it('that only writes about rate limits has none, and its last closing verb counts', async () => {
    const { ran, task } = await runWith((root) => [
      {
        tool: 'mcp__ralph__partial',
        input: { summary: 'rate limit exceeded, 429', remaining: 'usage limit reached' },
      },
      write(root),
      done,
      { text: 'Error: rate_limit, overloaded, authentication_failed' },
    ]);
    expect(ran.code).toBe(0);
    expect(task).toMatchObject({ status: 'done' });
  });

  it('whose gate tests nothing is not done', async () => {
    const { task } = await runWith(
      (root) => [write(root), done],
      'gates: [{ name: test, command: "echo No test files found, exiting with code 0" }]\n',
    );
    expect(task).toMatchObject({ status: 'pending', attempts: 1, receipt: null });
  });

  it('that meets a usage limit is taken up again when it has passed, where somebody said to wait', async () => {
    const { ran, task } = await runWith(() => [{ status: 429, times: 2 }, done], '', ['--wait', '1']);
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringMatching(/⏸ waiting until/) });
    expect(task).toMatchObject({
      status: 'done',
      attempts: 0,
      sessions: [{ outcome: 'interrupted' }, { outcome: 'done' }],
    });
  });

  it.each([
    [401, 13, 'is not logged in'],
    [429, 12, 'usage limit'],
  ])(
    'that is answered with %i ends the run with %i, at no cost to the task',
    async (status, code, sentence) => {
      const { ran, task } = await runWith(() => [{ status }]);
      expect(ran).toMatchObject({ code, stdout: expect.stringContaining(sentence) });
      expect(task).toMatchObject({ status: 'pending', attempts: 0, stuck_count: 0 });
    },
  );
});
