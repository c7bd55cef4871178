// The whole of it: ralph run, the real Claude Code, the real MCP server, gates and git; only the model is scripted.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { localTime } from '../../src/domain/text/amounts.ts';
import { findProject } from '../../src/host/project.ts';
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
): Promise<{ project: TestProject; model: ScriptedModel; ran: Ran; task: unknown }> {
  const project = await initialised();
  writeFileSync(join(project.root, '.ralph/config.yaml'), config);
  await project.json('trust', '--yes');
  await project.json('add', 'Write hello.txt');
  const model = await scriptedModel(turns(project.root));
  const options = { cwd: project.root, env: claudeEnv(project, model) };
  const ran = await runRalph(['run', '--once'], options);
  return { project, model, ran, task: await project.json('show', '1') };
}

const WRITE: Turn = { tool: 'Bash', input: { command: 'echo hello > hello.txt', description: 'x' } };
const done: Turn = { tool: 'mcp__ralph__done', input: { summary: 'hello.txt says hello.' } };

/** Three ways to Ralph's own files. */
const touching = (root: string): Turn[] => [
  { tool: 'Bash', input: { command: 'rm -rf .ralph', description: 'x' } },
  { tool: 'Bash', input: { command: 'git clean -ffdx', description: 'x' } },
  { tool: 'Write', input: { file_path: join(root, '.ralph/recipes/x.yaml'), content: 'gates: []' } },
];

describe('a session of the real Claude Code', () => {
  it("cannot touch Ralph's own files, and its work is proven, committed and paid for in the receipt", async () => {
    const { project, model, ran, task } = await runWith(
      (root) => [...touching(root), WRITE, done],
      'gates: [{ name: test, command: "test ! -e hello.txt || grep -q hello hello.txt" }]\n',
    );
    for (const refused of toolResults(model).slice(0, 3))
      expect(refused).toMatch(/off limits|denied|permission/i);
    expect(existsSync(join(project.root, '.ralph/tasks.yaml'))).toBe(true);
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

  it('that meets a limit says until when, where Claude Code does, and another run waits for that', async () => {
    const until = Math.floor(Date.now() / 1_000) + 3_600;
    const headers = {
      'anthropic-ratelimit-unified-status': 'rejected',
      'anthropic-ratelimit-unified-reset': String(until),
      'anthropic-ratelimit-unified-representative-claim': 'five_hour',
    };
    const project = await initialised();
    await project.json('add', 'Write hello.txt');
    const model = await scriptedModel([{ status: 429, headers }]);
    // Only those who are logged in with a plan are told.
    const { ANTHROPIC_API_KEY: _, ...env } = claudeEnv(project, model);
    const options = { cwd: project.root, env: { ...env, CLAUDE_CODE_OAUTH_TOKEN: 'dummy-token-of-a-test' } };
    const at = localTime(until * 1_000);
    expect(await runRalph(['run'], options)).toMatchObject({
      code: 12,
      stdout: expect.stringContaining(`Run ralph run again after ${at}`),
    });
    const waiting = spawn(process.execPath, [inject('ralph'), 'run', '--wait'], options);
    let stdout = '';
    waiting.stdout.setEncoding('utf8').on('data', (text) => {
      stdout += text;
    });
    await expect.poll(() => stdout).toContain(`usage limit; trying again at ${at}`);
    waiting.kill('SIGINT');
    expect(await once(waiting, 'exit')).toEqual([130, null]);
    expect(await project.json('show', '1')).toMatchObject({ status: 'pending', attempts: 0 });
    expect(model.requests.length).toBe(1);
  });
});
