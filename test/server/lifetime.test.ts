import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { initialize, rawServer, serverEnv, toolCall } from '../support/mcp.ts';
import { initialised, testProject } from '../support/ralph.ts';

describe('the server ends', () => {
  it.each([false, true])(
    'the server ends with its standard input (after the first message: %s)',
    async (greeted) => {
      const server = rawServer(await initialised());
      if (greeted) {
        server.send(initialize(1));
        await server.answer(1);
      }
      server.child.stdin.end();
      expect(await server.exited).toEqual({ code: 0, signal: null });
    },
  );

  it('the server ends with its standard input where it was started as ralph mcp', async () => {
    const server = rawServer(await initialised(), {}, ['mcp']);
    server.send(initialize(1));
    expect(await server.answer(1)).toMatchObject({ result: { serverInfo: { name: 'ralph' } } });
    server.child.stdin.end();
    expect(await server.exited).toEqual({ code: 0, signal: null });
  });

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('the server ends on %s', async (signal) => {
    const server = rawServer(await initialised());
    server.send(initialize(1));
    await server.answer(1);
    server.child.kill(signal);
    expect(await server.exited).toEqual({ code: 0, signal: null });
  });

  it('the server ends when its standard output has no reader any more', async () => {
    const server = rawServer(await initialised());
    server.send(initialize(1));
    await server.answer(1);
    server.child.stdout.destroy();
    server.send({ jsonrpc: '2.0', id: 2, method: 'ping' });
    server.send({ jsonrpc: '2.0', id: 3, method: 'ping' });
    await server.exited;
  });

  it('the server ends when its parent is gone, even if another process holds both of its pipes', async () => {
    const project = await initialised();
    // The server gets the parent's own pipes, which the test holds; only the parent itself goes away.
    const script = `const {spawn}=require('node:child_process');
const s=spawn(process.execPath,[${JSON.stringify(inject('ralph'))},'serve'],{stdio:['inherit','inherit','ignore']});
process.stderr.write(s.pid+'\\n'); setInterval(()=>{},1000);`;
    const parent = spawn(process.execPath, ['-e', script], {
      cwd: project.root,
      env: serverEnv(project),
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    onTestFinished(() => void parent.kill('SIGKILL'));
    const [line] = await once(parent.stderr, 'data');
    const pid = Number(String(line).trim());
    parent.stdin.write(`${JSON.stringify(initialize(1))}\n`);
    await once(parent.stdout, 'data');
    parent.kill('SIGKILL');
    await expect.poll(() => alive(pid), { interval: 20 }).toBe(false);
  });

  it.each(['end of input', 'SIGTERM', 'broken output'])(
    'the server ends and gives its task back, at no cost to the task: %s',
    async (way) => {
      const project = await initialised({ git: false });
      await project.json('add', 'One');
      const server = rawServer(project);
      server.send(initialize(1));
      server.send(toolCall(2, 'next_task', {}));
      await server.answer(2);
      if (way === 'end of input') server.child.stdin.end();
      if (way === 'SIGTERM') server.child.kill('SIGTERM');
      if (way === 'broken output') {
        server.child.stdout.destroy();
        server.send({ jsonrpc: '2.0', id: 3, method: 'ping' });
        server.send({ jsonrpc: '2.0', id: 4, method: 'ping' });
      }
      await server.exited;
      expect(await project.json('show', '1')).toMatchObject({
        status: 'pending',
        attempts: 0,
        stuck_count: 0,
        sessions: [{ outcome: 'interrupted' }],
      });
    },
  );

  it('the server ends when what it was asked last is answered: a done is not lost to the end of input', async () => {
    const project = await initialised({ git: false });
    await project.json('add', 'One');
    const server = rawServer(project);
    server.send(initialize(1));
    server.send(toolCall(2, 'next_task', {}));
    await server.answer(2);
    server.send(toolCall(3, 'stuck', { reason: 'The linker fails.' }));
    server.child.stdin.end();
    await server.exited;
    expect(server.output().stdout).toContain('Recorded. Task 1 is pending.');
    expect(await project.json('show', '1')).toMatchObject({ status: 'pending', stuck_count: 1 });
  });

  it('the server ends with a line that is no message, in good order', async () => {
    const server = rawServer(await initialised());
    server.send(initialize(1));
    await server.answer(1);
    server.child.stdin.write('x'.repeat(5 * 1024 * 1024));
    expect(await server.exited).toEqual({ code: 0, signal: null });
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
  it('standard output carries JSON-RPC alone, byte by byte, whatever is asked or printed', async () => {
    const project = await initialised({ git: false });
    await project.json('add', 'One');
    const chatty = join(project.home, 'chatty.mjs');
    // Somebody who prints all the time, from when the server has begun to run.
    const noise = "console.log('noise'); process.stdout.write('more noise');";
    writeFileSync(chatty, `setTimeout(() => setInterval(() => { ${noise} }, 5).unref(), 100).unref();`);
    const server = rawServer(project, { NODE_OPTIONS: `--import=${chatty}` });
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
  it('a client is greeted in any case and told what is missing at its first call', async () => {
    const project = testProject({ git: false });
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

  it('a client is greeted in any case but not by a server that was started for a recipe there is not', async () => {
    const server = rawServer(await initialised(), { RALPH_RECIPE: 'task_exec' });
    expect(await server.exited).toMatchObject({ code: 1 });
    expect(server.output()).toEqual({
      stdout: '',
      stderr: expect.stringMatching(/RALPH_RECIPE is "task_exec", which is no recipe/),
    });
  });
});

it('the server goes on with the last definitions when a definition file is broken', async () => {
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
