import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { MachineFailed } from '../../../src/domain/refusal.ts';
import { NO_USAGE } from '../../../src/domain/sessions/session.ts';
import type { Agent, LaunchSpec } from '../../../src/supervisor/agents/agent.ts';
import { claude } from '../../../src/supervisor/agents/claude.ts';
import { runAgent } from '../../../src/supervisor/agents/run-agent.ts';
import type { ServedSession, SessionServer } from '../../../src/supervisor/sessions/session-server.ts';
import { openTestQueue } from '../../support/queue.ts';
import { serverFor } from '../../support/session-server.ts';
import { tempDir } from '../../support/temp.ts';

/** Each line that it prints is a result. */
const agentOf = (script: string): Agent => ({
  executable: 'sh',
  needsServer: false,
  launch: () => ({ command: ['sh', '-c', script], env: {}, stdin: '', files: {} }),
  observe: (text) => [{ kind: 'result', usage: NO_USAGE, limit: null, isError: false, status: null, text }],
});

const specIn = (folder: string): LaunchSpec => ({
  session_id: crypto.randomUUID(),
  client_id: crypto.randomUUID(),
  recipe: 'task_execution',
  argument: '1',
  root: folder,
  folder,
  model: 'haiku',
  effort: null,
  max_turns: 1,
  budget_usd: 1,
  permissions: 'default',
  tools: [],
  system: '',
  prompt: '',
  learnings: [],
  variant: null,
  env: {},
  envNames: [],
  mcpServers: {},
});

/** The agent can reach a server of its own. */
async function served(folder: string) {
  const queue = await openTestQueue();
  const sessions = await serverFor({ root: folder, stateDir: folder }, queue);
  return { sessions, queue, stateDir: folder, reminder: null };
}

it('runAgent leaves no timer running, even if the last lines are read after the end', async () => {
  const folder = tempDir();
  const spec = specIn(folder);
  const reach = await served(folder);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const texts: string[] = [];
  const options = {
    ...reach,
    env: { PATH: process.env['PATH'] },
    limits: { session_seconds: 600, idle_seconds: 600, repeats: 5 },
    stop: new AbortController().signal,
    onObservation: (seen: object) => texts.push('text' in seen ? String(seen.text) : ''),
  };
  // The second has no environment that it could be known by, and speaks when the first has gone.
  const late = 'env -i sh -c ": > there; while kill -0 $$ 2>/dev/null; do :; done; echo late"';
  try {
    await runAgent(agentOf(`${late} & until test -e there; do :; done`), spec, options);
    expect(texts).toEqual(['late']);
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

const plain = {
  env: { PATH: process.env['PATH'] },
  limits: { session_seconds: 600, idle_seconds: 600, repeats: 5 },
  stop: new AbortController().signal,
  onObservation: () => {},
};

it('an agent whose output cannot be stored is ended, and the machine is to blame', async () => {
  const folder = tempDir();
  symlinkSync('/dev/full', join(folder, 'stream.jsonl'));
  const end = await runAgent(agentOf('echo lost; exec sleep 600'), specIn(folder), {
    ...plain,
    ...(await served(folder)),
  });
  expect(end).toMatchObject({
    fault: 'machine_failed',
    hindrance: {
      kind: 'machine_failed',
      reason: expect.stringMatching(/stream\.jsonl cannot be written \(ENOSPC\); check the disk/),
    },
  });
});

it('standard error that cannot be stored is the fault of the machine', async () => {
  const folder = tempDir();
  symlinkSync('/dev/full', join(folder, 'stream.stderr'));
  const end = await runAgent(agentOf('echo lost >&2'), specIn(folder), {
    ...plain,
    ...(await served(folder)),
  });
  expect(end.hindrance).toMatchObject({ reason: expect.stringContaining('stream.stderr cannot be written') });
});

it('Ralph does not start an agent whose stream cannot be opened', async () => {
  const folder = tempDir();
  mkdirSync(join(folder, 'stream.jsonl'));
  const options = { ...plain, ...(await served(folder)) };
  await expect(runAgent(agentOf('touch started'), specIn(folder), options)).rejects.toBeInstanceOf(
    MachineFailed,
  );
  expect(existsSync(join(folder, 'started'))).toBe(false);
});

it('an agent gets the variables that it needs or that the configuration names, and no other', async () => {
  const folder = tempDir();
  const spec = { ...specIn(folder), envNames: ['SHOP_*'] };
  await runAgent(agentOf('env > seen'), spec, {
    ...(await served(folder)),
    env: {
      PATH: process.env['PATH'],
      ANTHROPIC_BASE_URL: 'http://model',
      SHOP_MODE: 'test',
      GITHUB_TOKEN: 'gone',
    },
    limits: { session_seconds: 600, idle_seconds: 600, repeats: 5 },
    stop: new AbortController().signal,
    onObservation: () => {},
  });
  const seen = readFileSync(join(folder, 'seen'), 'utf8');
  expect(seen).toMatch(/^ANTHROPIC_BASE_URL=http:\/\/model$/m);
  expect(seen).toMatch(/^SHOP_MODE=test$/m);
  expect(seen).not.toContain('GITHUB_TOKEN');
});

it('Ralph masks a secret in the stream and in its observations, and the line stays JSON', async () => {
  const folder = tempDir();
  const heard: string[] = [];
  const secret = ['a "quoted"', 'S3cret', 'value'].join(' ');
  writeFileSync(
    join(folder, 'line'),
    `${JSON.stringify({ password: 'hunter2', text: `It is ${secret}. Cookie: sid=abcd"ef` })}\n`,
  );
  await runAgent(agentOf('cat line'), specIn(folder), {
    ...(await served(folder)),
    env: { PATH: process.env['PATH'], DEPLOY_KEY: secret },
    limits: { session_seconds: 600, idle_seconds: 600, repeats: 5 },
    stop: new AbortController().signal,
    onObservation: (seen) => heard.push('text' in seen ? seen.text : ''),
  });
  const written = readFileSync(join(folder, 'stream.jsonl'), 'utf8');
  expect(JSON.parse(written)).toEqual({ password: '<masked>', text: 'It is <masked>. Cookie: <masked>"ef' });
  expect(heard).toEqual([written.trimEnd()]);
});

/** Prints a failing command again and again, until a signal ends it; `between` comes before each. */
const repeating = (between: string): string => {
  const line = (value: object) => JSON.stringify(value);
  const use = (id: string, name: string, input: object) =>
    line({ type: 'assistant', message: { id, content: [{ type: 'tool_use', id, name, input }] } });
  const result = (id: string, is_error: boolean) =>
    line({
      type: 'user',
      message: { content: [{ type: 'tool_result', tool_use_id: id, is_error, content: 'x' }] },
    });
  const lines = [use('b', 'Bash', { command: 'npm test' }), result('b', true)];
  const edit = [use('e', 'Write', { file_path: 'a.ts', content: between }), result('e', false)];
  return [
    'trap "exit 7" TERM',
    'for i in 1 2 3 4 5 6 7 8 9; do',
    ...(between === '' ? [] : edit).map((text) => `echo '${text}' | sed "s/NUMBER/$i/"`),
    ...lines.map((text) => `echo '${text}'`),
    'done',
    'exit 0',
  ].join('\n');
};

it('a session that repeats a failing command with nothing new in between is warned once, and then ended', async () => {
  const work = async (script: string) => {
    const folder = tempDir();
    const agent = { ...agentOf(script), observe: claude.observe, keepsLimits: true };
    const limits = { session_seconds: 600, idle_seconds: 600, repeats: 3 };
    const reach = await served(folder);
    const hooks: ServedSession['answerHook'][] = [];
    const sessions: SessionServer = {
      serve: (session, run) => {
        hooks.push(session.answerHook);
        return reach.sessions.serve(session, run);
      },
    };
    const options = { ...plain, ...reach, sessions, limits, isTask: true };
    const { limit, detail } = await runAgent(agent, specIn(folder), options);
    const warning = await hooks[0]?.('guard', '{}');
    return { limit, detail, warning: warning?.text };
  };
  expect(await work(repeating(''))).toEqual({
    limit: 'repeats',
    detail: 'Bash npm test',
    warning: expect.stringContaining(
      'has failed 3 times, and nothing new succeeded in between: Bash npm test\n',
    ),
  });
  // The same edit each time is part of the loop; a new one is progress.
  expect(await work(repeating('same'))).toMatchObject({ limit: 'repeats' });
  expect(await work(repeating('NUMBER'))).toEqual({ limit: null, detail: null, warning: '' });
});

it('Ralph does not start an agent that needs the server if the relay does not answer', async () => {
  const folder = tempDir();
  const reach = await served(folder);
  const launched = async (script: string) => {
    const agent = { ...agentOf('touch started'), needsServer: true };
    const server = { command: 'sh', args: ['-c', script], env: {} };
    const sessions: typeof reach.sessions = {
      ...reach.sessions,
      serve: (session, work) => reach.sessions.serve(session, (access) => work({ ...access, server })),
    };
    return runAgent(agent, specIn(folder), { ...plain, ...reach, sessions });
  };
  expect(await launched('echo cannot be read >&2; exit 1')).toMatchObject({
    fault: 'mcp_lost',
    detail: 'cannot be read',
  });
  expect(await launched('echo "{}"; exit 0')).toMatchObject({ fault: 'mcp_lost' });
  expect(existsSync(join(folder, 'started'))).toBe(false);
  expect(await launched('echo \'{"jsonrpc":"2.0","id":1,"result":{}}\'')).toMatchObject({ fault: null });
  expect(existsSync(join(folder, 'started'))).toBe(true);
});

it.each([
  ['only a login', {}, 'login=oauth key='],
  ['a login and a key', { AGENT_KEY: 'k' }, 'login= key=k'],
  ['an empty key', { AGENT_KEY: '' }, 'login=oauth key='],
])('an agent that prefers a key, with %s, is told how to log in', async (_, keys, told) => {
  const folder = tempDir();
  writeFileSync(join(folder, 'creds.json'), '{}');
  const agent: Agent = {
    ...agentOf(''),
    variables: ['AGENT_KEY'],
    launch: () => ({
      command: ['sh', '-c', 'echo "login=$LOGIN key=$AGENT_KEY" > told'],
      env: {},
      stdin: '',
      files: {},
      ownFolder: 'own',
      logins: { 'creds.json': ['~/creds.json'] },
      keysFirst: ['AGENT_KEY'],
      loginVariables: { LOGIN: 'oauth' },
    }),
  };
  const env = { ...plain.env, HOME: folder, ...keys };
  await runAgent(agent, specIn(folder), { ...plain, ...(await served(folder)), env });
  expect(readFileSync(join(folder, 'told'), 'utf8').trim()).toBe(told);
});

it('an agent that does not exit after a good result is ended, and may still be asked for its report', async () => {
  const folder = tempDir();
  const reach = await served(folder);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const lingering: Agent = {
    ...agentOf('echo result; exec sleep 600'),
    observe: (text) => [
      { kind: 'identified', id: 'own-id' },
      { kind: 'result', usage: NO_USAGE, limit: null, isError: false, status: null, text },
    ],
    resume: (_, id) => ({ command: ['sh', '-c', `echo ${id} > asked`], env: {}, stdin: '', files: {} }),
  };
  let isReported = false;
  const isReminded = async (): Promise<boolean> => {
    const before = isReported;
    isReported = true;
    return before;
  };
  try {
    const ended = runAgent(lingering, specIn(folder), {
      ...plain,
      ...reach,
      reminder: { text: 'Say done.', isReported: isReminded },
      onObservation: ({ kind }) => kind === 'result' && vi.advanceTimersByTimeAsync(10_000),
    });
    expect(await ended).toMatchObject({ exit_code: 0, fault: null, limit: null });
    expect(readFileSync(join(folder, 'asked'), 'utf8')).toBe('own-id\n');
  } finally {
    vi.useRealTimers();
  }
});
