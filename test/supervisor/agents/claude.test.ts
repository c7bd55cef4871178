import { expect, it } from 'vitest';
import { claude } from '../../../src/supervisor/agents/claude.ts';
import { SERVER_TIMEOUT_MS } from '../../../src/supervisor/agents/server-starts.ts';
import { applyObservation, NOT_RUN } from '../../../src/supervisor/agents/session-end.ts';
import { LAUNCHABLE } from '../../support/launchable.ts';

const heard = (...lines: object[]) =>
  lines.flatMap((line) => claude.observe(JSON.stringify(line))).reduce(applyObservation, NOT_RUN);

const uses = (name: string, input: object) => ({
  type: 'assistant',
  message: { id: crypto.randomUUID(), content: [{ type: 'tool_use', name, input }] },
});

it('the client waits for the server of Ralph for as long as Ralph itself does, not for five seconds', () => {
  const { env } = claude.launch(LAUNCHABLE);
  expect(env).toMatchObject({ MCP_CONNECT_TIMEOUT_MS: String(SERVER_TIMEOUT_MS) });
  expect(SERVER_TIMEOUT_MS).toBe(30_000);
});

it('the adapter reports the files that a session wrote, each once', () => {
  const { files, usage } = heard(
    uses('Write', { file_path: 'a.ts' }),
    uses('Edit', { file_path: 'a.ts' }),
    uses('MultiEdit', { file_path: 'd.ts' }),
    uses('NotebookEdit', { notebook_path: 'b.ipynb' }),
    uses('Read', { file_path: 'c.ts' }),
  );
  expect(files).toEqual(['a.ts', 'd.ts', 'b.ipynb']);
  expect(usage.turns).toBe(5);
});

it("the adapter believes limits only from the client's own lines", () => {
  const limited = { type: 'rate_limit_event', rate_limit_info: { status: 'rejected', resetsAt: 7 } };
  expect(heard(limited).limited_until).toBe(7_000);
  const warned = { type: 'rate_limit_event', rate_limit_info: { status: 'allowed_warning', resetsAt: 7 } };
  expect(heard(warned).limited_until).toBeNull();
  const talked = {
    type: 'assistant',
    message: { content: [{ type: 'text', text: JSON.stringify(limited) }] },
  };
  expect(heard(talked)).toMatchObject({ limited_until: null, fault: null });
});

it('an agent can ask for the model of the next session in its last message', () => {
  const result = { type: 'result', subtype: 'success', result: 'Too hard.\n<next-model>opus</next-model>' };
  expect(heard(result).next_model).toBe('opus');
});

it.each(['', 'not json', '[]', 'null', '{"type":"assistant","message":{"content":"text"}}', '{"type":7}'])(
  'the adapter survives the line %s',
  (line) => expect(() => claude.observe(line)).not.toThrow(),
);

const init = (apiKeySource: string) => ({
  type: 'system',
  subtype: 'init',
  apiKeySource,
  mcp_servers: [{ name: 'ralph', status: 'connected' }],
});
const retry = (error_status: number | null, error: string) => ({
  type: 'system',
  subtype: 'api_retry',
  error_status,
  error,
});
const gaveUp = (error: string, text = 'API Error: scripted', more: object = {}) => ({
  type: 'assistant',
  error,
  parent_tool_use_id: null,
  message: { id: 'made-up', model: '<synthetic>', content: [{ type: 'text', text }] },
  ...more,
});
const failed = (api_error_status: number | null) => ({
  type: 'result',
  subtype: 'success',
  is_error: true,
  api_error_status,
  num_turns: 1,
});

it.each([
  ['authentication_failed', null, 'not_logged_in'],
  ['authentication_failed', 401, 'not_logged_in'],
  ['authentication_failed', 403, 'forbidden'],
  ['oauth_org_not_allowed', 401, 'forbidden'],
  ['billing_error', 400, 'no_credit'],
  ['model_not_found', 404, 'no_model'],
  ['rate_limit', 429, 'rate_limit'],
  ['server_error', 500, 'server_error'],
  ['server_error', 502, 'server_error'],
  ['server_error', 503, 'server_error'],
  ['server_error', 529, 'overloaded'],
  ['server_error', null, 'unreachable'],
  ['unknown', 400, 'rejected'],
  ['max_output_tokens', null, null],
] as const)('a client that gives up on %s, %s, met the fault %s', (error, status, fault) => {
  expect(heard(gaveUp(error), failed(status))).toMatchObject({ fault, answers: 0 });
});

it('a 429 is a rate limit of a key, and a usage limit of a plan', () => {
  const [key, plan] = [init('ANTHROPIC_API_KEY'), init('none')];
  expect(heard(key, gaveUp('rate_limit'), failed(429)).fault).toBe('rate_limit');
  expect(heard(plan, gaveUp('rate_limit'), failed(429)).fault).toBe('usage_limit');
});

it('the end keeps what the client said about a fault, as one line', () => {
  const { detail } = heard(gaveUp('billing_error', 'Credit balance is too low\nmore'), failed(400));
  expect(detail).toBe('Credit balance is too low');
  const plain = { message: { content: 'Credit balance is too low' } };
  expect(heard(gaveUp('billing_error', '', plain), failed(400)).detail).toBe(detail);
});

it('an error is no fault if the client went on, or if only a subagent met it', () => {
  const answer = uses('Read', { file_path: 'a.ts' });
  const ended = { type: 'result', subtype: 'success', is_error: false, result: 'Finished.' };
  expect(heard(gaveUp('server_error'), answer, ended).fault).toBeNull();
  const helper = gaveUp('server_error', 'x', { parent_tool_use_id: 'toolu_1' });
  expect(heard(answer, helper, failed(null)).fault).toBeNull();
});

it('a refused request counts as a fault only before the first answer', () => {
  expect(heard(gaveUp('unknown'), failed(400)).fault).toBe('rejected');
  const answer = uses('Read', { file_path: 'a.ts' });
  expect(heard(answer, gaveUp('unknown'), failed(400)).fault).toBeNull();
  expect(heard(answer, gaveUp('server_error'), failed(503)).fault).toBe('server_error');
});

it('Ralph does not wait for hopeless retries: a wrong key, and the limit of a subscription', () => {
  expect(heard(init('none'), retry(429, 'rate_limit')).fault).toBe('usage_limit');
  expect(heard(init('ANTHROPIC_API_KEY'), retry(429, 'rate_limit')).fault).toBeNull();
  expect(heard(init('ANTHROPIC_API_KEY'), retry(401, 'authentication_failed')).fault).toBe('not_logged_in');
  expect(heard(init('none'), retry(503, 'server_error')).fault).toBeNull();
  expect(heard(init('none'), retry(null, 'unknown')).fault).toBeNull();
});

it('a server that is not connected ends the session', () => {
  const lost = { type: 'system', subtype: 'init', mcp_servers: [{ name: 'ralph', status: 'failed' }] };
  expect(heard(lost).fault).toBe('mcp_lost');
});

it('the usage counts the tokens of all models, which are ahead of the total at a budget abort', () => {
  const usage = { input_tokens: 0, output_tokens: 0 };
  const model = { inputTokens: 700, outputTokens: 200, cacheReadInputTokens: 50 };
  const modelUsage = { haiku: { ...model, cacheCreationInputTokens: 50 }, opus: { inputTokens: 1 } };
  const result = { type: 'result', subtype: 'error_max_budget_usd', usage, modelUsage };
  expect(heard(result)).toMatchObject({ limit: 'budget', usage: { input_tokens: 801, output_tokens: 200 } });
  const older = { type: 'result', subtype: 'success', usage: { input_tokens: 3, output_tokens: 4 } };
  expect(heard(older).usage).toMatchObject({ input_tokens: 3, output_tokens: 4 });
});
