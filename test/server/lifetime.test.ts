import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { initialize, type RawServer, rawServer, serverEnv, toolCall } from '../support/mcp.ts';
import { initialised, testProject } from '../support/ralph.ts';

/** Generous against a busy machine: what is promised is 100 ms, and what is caught here is a server that stays. */
const SOON_MS = 2_000;

async function isGone({ exited }: RawServer): Promise<boolean> {
  const late = new Promise<null>((over) => setTimeout(() => over(null), SOON_MS));
  return (await Promise.race([exited, late])) !== null;
}

describe('the server ends', () => {
  it.each([false, true])('with its standard input (after the first message: %s)', async (greeted) => {
    const server = rawServer(await initialised());
    if (greeted) {
      server.send(initialize(1));
      await server.answer(1);
    }
    server.child.stdin.end();
    expect(await isGone(server)).toBe(true);
    expect(await server.exited).toEqual({ code: 0, signal: null });
  });

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('on %s', async (signal) => {
    const server = rawServer(await initialised());
    server.send(initialize(1));
    await server.answer(1);
    server.child.kill(signal);
    expect(await isGone(server)).toBe(true);
    expect(await server.exited).toEqual({ code: 0, signal: null });
  });

  it('when nobody reads its standard output any more', async () => {
    const server = rawServer(await initialised());
    server.send(initialize(1));
    await server.answer(1);
    server.child.stdout.destroy();
    server.send({ jsonrpc: '2.0', id: 2, method: 'ping' });
    server.send({ jsonrpc: '2.0', id: 3, method: 'ping' });
    expect(await isGone(server)).toBe(true);
  });

  it('when its parent is gone, even if somebody else holds the pipe', async () => {
    const project = await initialised();
    // The parent starts the server on a pipe that the test holds open, says who it is, and is killed.
    const script = `const {spawn}=require('node:child_process');
const s=spawn(process.execPath,[${JSON.stringify(inject('ralph'))},'serve'],{stdio:['inherit','pipe','ignore']});
s.stdin; process.stdout.write(s.pid+'\\n'); setInterval(()=>{},1000);`;
    const parent = spawn(process.execPath, ['-e', script], {
      cwd: project.root,
      env: serverEnv(project),
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    onTestFinished(() => void parent.kill('SIGKILL'));
    const [line] = await once(parent.stdout, 'data');
    const pid = Number(String(line).trim());
    // It has begun to serve when it can no longer be told from a server that waits: give it the greeting and wait for the file it opens.
    parent.stdin.write(`${JSON.stringify(initialize(1))}\n`);
    parent.kill('SIGKILL');
    await once(parent, 'exit');
    await expect.poll(() => alive(pid), { timeout: SOON_MS * 2, interval: 20 }).toBe(false);
  });
});

function alive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return !/\) Z /.test(stat);
  } catch {
    return false;
  }
}

describe('standard output', () => {
  it('carries JSON-RPC alone, byte by byte, whatever is asked', async () => {
    const project = await initialised();
    await project.json('add', 'One');
    const server = rawServer(project, { RALPH_DEBUG: '1', NODE_OPTIONS: '--trace-warnings' });
    server.send(initialize(1));
    server.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    server.child.stdin.write('this is no JSON\n{"jsonrpc":"2.0"}\n[]\n\n');
    server.send({ jsonrpc: '2.0', id: 2, method: 'tools/list' });
    server.send(toolCall(3, 'next_task', {}));
    server.send(toolCall(4, 'done', { summary: 7 }));
    server.send({ jsonrpc: '2.0', id: 5, method: 'resources/read', params: { uri: 'ralph://nothing' } });
    server.send({ jsonrpc: '2.0', id: 6, method: 'no/such/method' });
    server.send({ jsonrpc: '2.0', id: 7, method: 'ping' });
    for (const id of [1, 2, 3, 4, 5, 6, 7]) await server.answer(id);
    const { stdout } = server.output();
    expect(stdout.endsWith('\n')).toBe(true);
    for (const line of stdout.slice(0, -1).split('\n')) {
      expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
      expect(line).toBe(line.trim());
    }
  });
});

describe('a client is greeted in any case', () => {
  it('and told what is missing at its first call', async () => {
    const project = testProject();
    const server = rawServer(project);
    server.send(initialize(1));
    expect(await server.answer(1)).toHaveProperty('result.serverInfo.name', 'ralph');
    server.send(toolCall(2, 'next_task', {}));
    expect(await server.answer(2)).toMatchObject({
      result: { isError: true, content: [{ text: expect.stringContaining('run ralph init') }] },
    });
    // Once it is mended, the same server works.
    await project.json('init', '--yes');
    await project.json('add', 'One');
    server.send(toolCall(3, 'next_task', {}));
    expect(await server.answer(3)).toMatchObject({
      result: { content: [{ text: expect.stringContaining('#1 One') }] },
    });
  });

  it('but not by a server that was started for a recipe there is not', async () => {
    const server = rawServer(await initialised(), { RALPH_RECIPE: 'task_exec' });
    expect(await server.exited).toMatchObject({ code: 1 });
    expect(server.output()).toEqual({
      stdout: '',
      stderr: expect.stringMatching(/RALPH_RECIPE is "task_exec", which is no recipe/),
    });
  });
});

it('goes on with what was there when a definition file is broken', async () => {
  const project = await initialised();
  await project.json('add', 'One');
  writeFileSync(join(project.root, '.ralph/tasks.yaml'), 'tasks: [{ titel: x }]\n');
  const server = rawServer(project);
  server.send(initialize(1));
  server.send(toolCall(2, 'list_tasks', {}));
  expect(await server.answer(2)).toMatchObject({
    result: { content: [{ text: '#1 One (pending, medium)' }] },
  });
  expect(server.output().stderr).toMatch(/unknown key "titel"/);
});
