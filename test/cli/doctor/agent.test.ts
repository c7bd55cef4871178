import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { checkRoot, checkServer, findAgentLogin } from '../../../src/cli/doctor/agent.ts';
import { tempDir } from '../../support/temp.ts';

function homeWith(file: string | null, text = '{}'): string {
  const home = tempDir();
  if (file === null) return home;
  mkdirSync(dirname(join(home, file)), { recursive: true });
  writeFileSync(join(home, file), text);
  return home;
}

const find = (name: string, home: string, env: Readonly<Record<string, string>> = {}) =>
  findAgentLogin(name, { env: { HOME: home, ...env } });

it.each([
  ['codex', '.codex/auth.json', { OPENAI_API_KEY: 'k' }, 'login of the person'],
  ['codex', null, { OPENAI_API_KEY: 'k' }, 'OPENAI_API_KEY'],
  ['opencode', '.local/share/opencode/auth.json', {}, 'login of the person'],
  ['gemini', '.gemini/oauth_creds.json', {}, 'login of the person'],
  ['gemini', '.gemini/oauth_creds.json', { GEMINI_API_KEY: 'k' }, 'GEMINI_API_KEY'],
  ['qwen', null, { OPENAI_API_KEY: 'k' }, 'OPENAI_API_KEY'],
  ['copilot', '.copilot/config.json', { COPILOT_GITHUB_TOKEN: 'k' }, 'COPILOT_GITHUB_TOKEN'],
])('%s with %s and %j logs in with: %s', async (name, file, env, found) => {
  expect(await find(name, homeWith(file), env)).toBe(found);
});

it.each([
  ['codex', { OPENAI_API_KEY: '' }, 'codex has no login. Run codex login once, or set OPENAI_API_KEY.'],
  ['gemini', {}, 'gemini has no login. Start gemini once and log in with Google, or set GEMINI_API_KEY.'],
  [
    'qwen',
    {},
    'qwen has no login. Set OPENAI_API_KEY, and OPENAI_BASE_URL for a provider that is not OpenAI.',
  ],
])('the doctor says what to do if %s has no login', async (name, env, message) => {
  await expect(find(name, homeWith(null), env)).rejects.toThrow(message);
});

it('the doctor says so if the server of Ralph does not start', async () => {
  const program = { node: process.execPath, script: '/nowhere/ralph.js' };
  await expect(checkServer({ env: {}, program }, tempDir())).rejects.toThrow(
    /^ralph serve does not start \(.+\); install Ralph again\.$/,
  );
});

it("the doctor does not judge the login of a person's own agent", async () => {
  expect(await find('mine', homeWith(null))).toBe('unknown');
});

it.each([
  [1_000, 'bypassPermissions', false, {}, 'bypassPermissions'],
  [0, 'acceptEdits', false, {}, 'acceptEdits'],
  [0, 'bypassPermissions', true, {}, 'bypassPermissions, in the sandbox'],
  [0, 'bypassPermissions', false, { IS_SANDBOX: '1' }, 'bypassPermissions, in a container (IS_SANDBOX=1)'],
])(
  'user %i with %s, enclosed: %s, and %j can start Claude Code',
  (user, permissions, enclosed, env, found) => {
    expect(checkRoot({ env }, { permissions }, enclosed, user)).toBe(found);
  },
);

it('root cannot bypass the permissions of Claude Code on a machine of its own', () => {
  expect(() => checkRoot({ env: {} }, { permissions: 'bypassPermissions' }, false, 0)).toThrow(
    'Claude Code does not run as root',
  );
});
