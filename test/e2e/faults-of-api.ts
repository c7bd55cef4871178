// What keeps Claude Code from an answer of its model, one row each.
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Turn } from '../support/claude.ts';
import type { TestProject } from '../support/ralph.ts';
import type { Fault } from './fault.ts';

const CREDIT = 'Your credit balance is too low to access the Anthropic API.';
const EXPIRED = 'OAuth token has expired. Please obtain a new token or refresh your existing token.';

/** Logged in with a plan. */
const PLAN = { ANTHROPIC_API_KEY: null, CLAUDE_CODE_OAUTH_TOKEN: 'dummy-token-of-a-test' };

const answers = (name: string, says: string, turn: Turn): Fault => ({ name, says, turns: () => [turn] });
const reaches = (name: string, says: string, env: NonNullable<Fault['env']>): Fault => ({
  name,
  says,
  turns: () => [],
  env,
});

/** A `claude` that is there and fails before it has read anything. */
function broken({ home }: TestProject): string {
  const folder = join(home, 'bin');
  mkdirSync(folder);
  writeFileSync(join(folder, 'claude'), '#!/bin/sh\necho "cannot execute binary file" >&2\nexit 126\n');
  chmodSync(join(folder, 'claude'), 0o755);
  return folder;
}

/** Only what the client prints tells it from other rows. */
const printed = (fault: Fault, error: string, status: number | null): Fault => ({
  ...fault,
  inStream: { report: { error, status } },
});

const LOGIN = 'Start claude once and type /login';
const UNREACHABLE = 'The API cannot be reached';

export const OF_THE_API: readonly Fault[] = [
  {
    ...answers('usage limit of a plan, which the client would retry for minutes', 'its usage limit', {
      status: 429,
      headers: { 'anthropic-ratelimit-unified-status': 'rejected' },
    }),
    env: () => ({ ...PLAN, CLAUDE_CODE_MAX_RETRIES: '10' }),
  },
  printed(answers('overloaded', 'The model is overloaded', { status: 529 }), 'server_error', 529),
  printed(answers('wrong key', LOGIN, { status: 401 }), 'authentication_failed', 401),
  printed(
    reaches('not logged in', LOGIN, () => ({ ANTHROPIC_API_KEY: null })),
    'authentication_failed',
    null,
  ),
  {
    ...answers('login of a plan that has expired', LOGIN, { status: 401, message: EXPIRED }),
    env: () => PLAN,
  },
  printed(
    answers('no credit left (400)', 'has no credit left', { status: 400, message: CREDIT }),
    'billing_error',
    400,
  ),
  printed(answers('access denied (403)', 'was denied access', { status: 403 }), 'authentication_failed', 403),
  printed(answers('no such model (404)', 'cannot use its model', { status: 404 }), 'model_not_found', 404),
  printed(
    answers('the API refuses the first request (400)', 'The API refuses what', { status: 400 }),
    'unknown',
    400,
  ),
  printed(answers('the API fails (500)', 'The API fails', { status: 500 }), 'server_error', 500),
  printed(answers('the API fails (502)', 'The API fails', { status: 502 }), 'server_error', 502),
  printed(answers('the API fails (503)', 'The API fails', { status: 503 }), 'server_error', 503),
  reaches('the connection is refused', UNREACHABLE, () => ({ ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' })),
  printed(
    reaches('the name of the API is not known (DNS)', UNREACHABLE, () => ({
      ANTHROPIC_BASE_URL: 'http://no-such-host.invalid',
    })),
    'server_error',
    null,
  ),
  printed(
    reaches('TLS fails', UNREACHABLE, (url) => ({ ANTHROPIC_BASE_URL: url.replace('http:', 'https:') })),
    'server_error',
    null,
  ),
  printed(
    {
      ...answers('the API does not answer in time', UNREACHABLE, { silence: true }),
      env: () => ({ API_TIMEOUT_MS: '1000', CLAUDE_CODE_MAX_RETRIES: '0' }),
    },
    'server_error',
    null,
  ),
  {
    name: 'a client that cannot start',
    says: 'cannot execute binary file',
    turns: () => [],
    path: broken,
  },
];
