import { expect, it } from 'vitest';
import { copilot } from '../../../src/supervisor/agents/copilot.ts';
import { LAUNCHABLE as SPEC } from '../../support/launchable.ts';

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
