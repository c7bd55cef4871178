// Clients of other hands: the SDK's maintenance line, and the MCP Inspector's command line.

import { resolve } from 'node:path';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { signalsOfSession } from '../../src/store/signals.ts';
import { claimed, serverEnv } from '../support/mcp.ts';
import { initialised, run, type TestProject } from '../support/ralph.ts';

it('the maintenance line of the SDK lists, reads, prompts, calls and is told of changes', async () => {
  const project = await initialised();
  await project.json('add', 'One');
  const { env, queue } = await claimed(project, 'v1');
  const client = new LegacyClient({ name: 'v1', version: '1' });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [inject('ralph'), 'serve'],
      cwd: project.root,
      env: serverEnv(project, env),
      stderr: 'ignore',
    }),
  );
  onTestFinished(() => client.close());
  expect(client.getServerVersion()).toMatchObject({ name: 'ralph' });
  expect((await client.listTools()).tools).toHaveLength(9);
  expect((await client.listResources()).resources.length).toBeGreaterThan(4);
  expect((await client.readResource({ uri: 'ralph://tasks/1' })).contents).toHaveLength(1);
  const prompt = await client.getPrompt({ name: 'task_execution', arguments: { id: '1' } });
  expect(prompt.messages[0]?.content).toMatchObject({ text: expect.stringContaining('#1 One') });
  const answer = await client.callTool({ name: 'done', arguments: { summary: 'Built.' } });
  expect(answer['content']).toEqual([{ type: 'text', text: 'Recorded. This session may end now.' }]);
  expect(await queue.store.read((db) => signalsOfSession(db, 'v1'))).toHaveLength(1);
});

describe.each(['legacy', 'modern'])('the Inspector (%s)', (era) => {
  it('finds nothing to complain about, and can do what a person would', async () => {
    const project = await initialised();
    await project.json('add', 'One');
    const inspect = inspector(project, era);
    const { tools } = await inspect<{ tools: unknown[] }>('tools/list', '--strict');
    expect(tools).toHaveLength(18);
    expect(await inspect('resources/list')).toHaveProperty('resources.0.uri', 'ralph://project');
    expect(await inspect('resources/read', '--uri', 'ralph://tasks/1')).toHaveProperty(
      'contents.0.text',
      expect.stringContaining('# #1 One'),
    );
    expect(await inspect('resources/templates/list')).toHaveProperty('resourceTemplates.0.uriTemplate');
    expect(await inspect('prompts/list')).toHaveProperty('prompts.0.name', 'task_execution');
    expect(
      await inspect('prompts/get', '--prompt-name', 'task_execution', '--prompt-args', 'id=1'),
    ).toHaveProperty('messages.0.content.text', expect.stringContaining('#1 One'));
    expect(
      await inspect('tools/call', '--tool-name', 'list_tasks', '--tool-args-json', '{"limit":5}'),
    ).toHaveProperty('content.0.text', '#1 One (pending, medium)');
  });
});

function inspector(project: TestProject, era: string) {
  return async <Result>(method: string, ...more: string[]): Promise<Result> => {
    const words = ['--cli', '--format', 'json', '--protocol-era', era, '--method', method, ...more];
    const server = ['--', process.execPath, inject('ralph'), 'serve'];
    const { code, stdout, stderr } = await run(
      process.execPath,
      [
        resolve('node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js'),
        ...words,
        ...server,
      ],
      { cwd: project.root, env: serverEnv(project) },
    );
    if (code !== 0) throw new Error(`${method} ended with ${code}: ${stderr}${stdout}`);
    return JSON.parse(stdout).result;
  };
}
