import { expect, it } from 'vitest';
import { qwen } from '../../../src/supervisor/agents/qwen.ts';
import { applyObservation, NOT_RUN } from '../../../src/supervisor/agents/session-end.ts';
import { LAUNCHABLE } from '../../support/launchable.ts';

it('Qwen gets the servers of the session, the verbs without a search, and a folder of its own', () => {
  const { command, env, files } = qwen({}).launch(LAUNCHABLE);
  const { mcpServers } = JSON.parse(files['mcp.json'] ?? '');
  expect(mcpServers.ralph).toMatchObject({ command: 'node', args: ['relay.js'], alwaysLoadTools: true });
  expect(mcpServers.docs).toMatchObject({ command: 'docs', alwaysLoadTools: false });
  expect(command).toEqual(expect.arrayContaining(['--mcp-config', '/access/mcp.json', 'ralph', 'docs']));
  expect(env).toMatchObject({
    QWEN_HOME: '/access/qwen',
    QWEN_CODE_SYSTEM_SETTINGS_PATH: '/access/qwen/settings.json',
  });
});

it("the project's settings for Qwen change its defaults", () => {
  const { files } = qwen({ security: { auth: { selectedType: 'anthropic' } } }).launch(LAUNCHABLE);
  expect(JSON.parse(files['qwen/settings.json'] ?? '')).toMatchObject({
    security: { auth: { selectedType: 'anthropic' } },
    disableAllHooks: true,
  });
});

it('Qwen may do everything only if the person allows it, and is resumed under its own id', () => {
  expect(qwen({}).launch(LAUNCHABLE).command).toContain('auto-edit');
  const bypass = { ...LAUNCHABLE, permissions: 'bypassPermissions' };
  const resumed = qwen({}).resume?.(bypass, '5aba', 'Say done to @all.');
  expect(resumed?.command).toEqual(expect.arrayContaining(['yolo', '--resume', '5aba']));
  expect(resumed?.stdin).toMatch(/`mcp__ralph__done`.* Say done to \\@all\.$/);
});

it('the turns of a resumed session of Qwen add up, and its tokens are told for the whole session', () => {
  const answer = (id: string) =>
    JSON.stringify({ type: 'assistant', message: { id, content: [{ type: 'text', text: id }] } });
  const result = (input_tokens: number) =>
    JSON.stringify({ type: 'result', subtype: 'success', num_turns: 1, usage: { input_tokens } });
  const lines = [answer('a'), result(10), answer('b'), result(20)];
  const { usage } = lines.flatMap(qwen({}).observe).reduce(applyObservation, NOT_RUN);
  expect(usage).toMatchObject({ turns: 2, input_tokens: 20, cost_usd: 0 });
});
