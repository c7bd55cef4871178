import { expect, it } from 'vitest';
import { gemini } from '../../../src/supervisor/agents/gemini.ts';
import { applyObservation, NOT_RUN } from '../../../src/supervisor/agents/session-end.ts';
import { LAUNCHABLE } from '../../support/launchable.ts';

const settingsOf = (settings: object) =>
  JSON.parse(gemini({ ...settings }).launch(LAUNCHABLE).files['gemini/.gemini/settings.json'] ?? '');

it('Gemini gets the servers of the session, its limit of turns and a folder of its own', () => {
  const { command, env } = gemini({}).launch(LAUNCHABLE);
  expect(env).toMatchObject({ GEMINI_CLI_HOME: '/access/gemini', GEMINI_CLI_TRUST_WORKSPACE: 'true' });
  const { mcpServers, model } = settingsOf({});
  expect(mcpServers.ralph).toMatchObject({ command: 'node', args: ['relay.js'], env: { TOKEN: 't' } });
  expect(model.maxSessionTurns).toBe(LAUNCHABLE.max_turns);
  expect(command).toEqual(expect.arrayContaining(['--allowed-mcp-server-names', 'ralph', 'docs']));
});

it("the project's settings for Gemini change its defaults, but neither its servers nor its limit", () => {
  const settings = settingsOf({
    general: { plan: { enabled: true } },
    mcpServers: { ralph: { command: 'evil' } },
    model: { maxSessionTurns: 1_000, name: 'flash' },
  });
  expect(settings.general).toMatchObject({ plan: { enabled: true }, enableAutoUpdate: false });
  expect(settings.mcpServers.ralph.command).toBe('node');
  expect(settings.model).toEqual({ maxSessionTurns: LAUNCHABLE.max_turns, name: 'flash' });
});

it('Gemini may do everything only if the person allows it, and is resumed under its own id', () => {
  expect(gemini({}).launch(LAUNCHABLE).command).toContain('auto_edit');
  const bypass = { ...LAUNCHABLE, permissions: 'bypassPermissions' };
  const resumed = gemini({}).resume?.(bypass, '5aba', 'Say done.');
  expect(resumed?.command).toEqual(expect.arrayContaining(['yolo', '--resume', '5aba']));
  expect(resumed?.stdin).toMatch(/`mcp_ralph_done`.* Say done\.$/);
});

it('an at sign in a prompt reaches Gemini so that it adds no file', () => {
  const { stdin } = gemini({}).launch({ ...LAUNCHABLE, prompt: 'Ask a@b.org about @src.' });
  expect(stdin).not.toMatch(/(?<!\\)@/);
  expect(stdin).toContain('Ask a\\@b.org about \\@src.');
  expect(gemini({}).launch(LAUNCHABLE).stdin).not.toContain('at sign');
});

it.each([
  [41, '', 'not_logged_in'],
  [173, 'TerminalQuotaError: You have exhausted your daily quota', 'usage_limit'],
  [173, 'RetryableQuotaError: slow down', 'rate_limit'],
  [1, 'ModelNotFoundError: models/x is not found', 'no_model'],
  [247, '', 'server_error'],
  [145, '', 'not_logged_in'],
  [143, '', null],
  [1, 'a 429 in other words', null],
  [null, '', null],
])('Gemini that ends with %s and says "%s" has the fault %s', (exit_code, errors, fault) => {
  expect(gemini({}).explain?.({ exit_code, errors })).toBe(fault);
});

it.each([
  ['Attempt 1 failed with status 429. Retrying with backoff... _ApiError: {}', 'rate_limit'],
  ['Attempt 2 failed with status 503. Retrying with backoff... _ApiError: {}', 'server_error'],
  ['Attempt 3 failed. Retrying with backoff... Error: exception TypeError: fetch failed', 'unreachable'],
  ['Attempt 4 failed: Quota exceeded. Retrying after 60000ms...', 'rate_limit'],
])('a person sees that Gemini tries again: %s', (line, fault) => {
  expect(gemini({}).observeError?.(line)).toEqual([{ kind: 'retry', fault }]);
});

it('what else Gemini says on standard error is no retry', () => {
  for (const line of ['YOLO mode is enabled.', 'The attempt 1 failed with status 429.', '    status: 429'])
    expect(gemini({}).observeError?.(line)).toEqual([]);
});

it('the tokens of a resumed session of Gemini add up', () => {
  const line = JSON.stringify({
    type: 'result',
    status: 'success',
    stats: { models: { flash: { input_tokens: 20, output_tokens: 5 } } },
  });
  const { usage } = [line, line].flatMap(gemini({}).observe).reduce(applyObservation, NOT_RUN);
  expect(usage).toMatchObject({ model: 'gemini/flash', input_tokens: 40, output_tokens: 10 });
});
