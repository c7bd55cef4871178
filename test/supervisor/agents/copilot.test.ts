import { expect, it } from 'vitest';
import type { Launchable } from '../../../src/supervisor/agents/agent.ts';
import { copilot } from '../../../src/supervisor/agents/copilot.ts';

const SPEC: Launchable = {
  session_id: '1',
  client_id: '1',
  recipe: 'task_execution',
  argument: '1',
  root: '/slot',
  folder: '/session',
  model: null,
  effort: null,
  max_turns: 1,
  budget_usd: 1,
  permissions: 'acceptEdits',
  tools: [],
  system: 'system',
  prompt: 'prompt',
  learnings: [],
  variant: null,
  env: {},
  envNames: [],
  mcpServers: { ralph: { command: 'evil', args: [], env: {} }, docs: { command: 'docs', args: [], env: {} } },
  access: {
    folder: '/access',
    socket: '/access/socket',
    hook: [],
    server: { command: 'node', args: ['relay.js'], env: { TOKEN: 't' } },
  },
};

const SETTINGS = {
  COPILOT_PROVIDER_BASE_URL: 'http://127.0.0.1:1/v1',
  COPILOT_HOME: '/home/person/.copilot',
  COPILOT_ALLOW_ALL: 'true',
  theme: 'dark',
  disableAllHooks: false,
};

it("Copilot gets its provider, its folder and no hooks, whatever the project's settings say", () => {
  const { env, files } = copilot(SETTINGS).launch(SPEC);
  expect(env).toEqual({
    COPILOT_PROVIDER_BASE_URL: 'http://127.0.0.1:1/v1',
    COPILOT_HOME: '/access/copilot',
    COPILOT_ALLOW_ALL: 'false',
  });
  expect(JSON.parse(files['copilot/settings.json'] ?? '')).toEqual({
    theme: 'dark',
    disableAllHooks: true,
    memory: false,
  });
});

it('a server of the project cannot take the place of the server of Ralph in Copilot', () => {
  const { mcpServers } = JSON.parse(copilot({}).launch(SPEC).files['copilot/mcp.json'] ?? '');
  expect(mcpServers.ralph).toMatchObject({ command: 'node', args: ['relay.js'], env: { TOKEN: 't' } });
  expect(mcpServers.docs).toMatchObject({ type: 'local', command: 'docs', tools: ['*'] });
});

it('Copilot may do everything only if the person allows it, and is resumed under its own id', () => {
  expect(copilot({}).launch(SPEC).command).not.toContain('--allow-all');
  const bypass = { ...SPEC, permissions: 'bypassPermissions' };
  expect(copilot({}).launch(bypass).command).toContain('--allow-all');
  const resumed = copilot({}).resume?.(bypass, '5aba', 'Say done.');
  expect(resumed?.command.at(-1)).toBe('--resume=5aba');
  expect(resumed?.stdin).toMatch(/`ralph-done`.* Say done\.$/);
});
