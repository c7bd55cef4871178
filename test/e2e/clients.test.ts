// A client of other hands: the SDK's maintenance line. The conformance suite and the Inspector are in scripts/conformance.ts.
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect, it, onTestFinished } from 'vitest';
import { signalsOfSession } from '../../src/store/sessions/signals.ts';
import { claimed, serverArgs, serverEnv } from '../support/mcp.ts';
import { initialised } from '../support/ralph.ts';

it('the maintenance line of the SDK lists, reads, prompts, calls and is told of changes', async () => {
  const project = await initialised();
  await project.json('add', 'One');
  const { env, queue } = await claimed(project, 'v1');
  const client = new LegacyClient({ name: 'v1', version: '1' });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: serverArgs(env),
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
