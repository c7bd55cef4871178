// How a supervised session reaches Ralph: a real relay in a process of its own, a real socket, the server in the supervisor.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { connect as connectSocket } from 'node:net';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { databasePath, findProject } from '../../../src/host/project.ts';
import { changesSince } from '../../../src/queue/queue.ts';
import { startRun } from '../../../src/queue/sessions/runs.ts';
import { claim } from '../../../src/queue/tasks/claim.ts';
import { addComment } from '../../../src/queue/tasks/comment.ts';
import { openBetterSqlite } from '../../../src/store/better-sqlite.ts';
import type { Store } from '../../../src/store/open.ts';
import { signalsOfSession } from '../../../src/store/sessions/signals.ts';
import {
  callTool,
  claimed,
  connect,
  connectWithin,
  ERAS,
  initialize,
  queueOf,
  type RawServer,
  rawServer,
  toolCall,
} from '../../support/mcp.ts';
import { initialised, type TestProject, WITHOUT_SANDBOX } from '../../support/ralph.ts';
import { HANGS, runUntilAtWork } from '../../support/running.ts';
import { scripted } from '../../support/scripted-agent.ts';
import { atWork, greet, sessionServer } from '../../support/session-server.ts';

const LEARNED = { text: 'Tests need NODE_ENV=test.', kind: 'discovery' };

async function projectWithTasks(...titles: string[]): Promise<TestProject> {
  const project = await initialised();
  for (const title of titles) await project.json('add', title);
  return project;
}

async function greeted(project: TestProject, env: Readonly<Record<string, string>>): Promise<RawServer> {
  const relay = rawServer(project, env);
  relay.send(initialize(0));
  await relay.answer(0);
  return relay;
}

/** Another process has the database: a verb waits until `release`. */
function lockDatabase({ root }: TestProject): { release(): void } {
  const holder = openBetterSqlite(databasePath(findProject(root).stateDir));
  holder.exec('begin immediate');
  return { release: () => void holder.exec('commit').close() };
}

const failure = (sentence: RegExp) => ({ error: { message: expect.stringMatching(sentence) } });

describe.each(ERAS)('a client with a relay (%s)', (era) => {
  it('a client with a relay reaches the server of its session, and its events name MCP beside those of the supervisor', async () => {
    const project = await projectWithTasks('One');
    const { env, queue } = await claimed(project, 'relayed');
    const client = await connect(project, { era, env });
    expect((await client.listTools()).tools).toHaveLength(9);
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(['task_execution']);
    expect(await callTool(client, 'learned', LEARNED)).toEqual({ isError: false, text: 'Recorded. Go on.' });
    expect(await queue.store.read((db) => signalsOfSession(db, 'relayed'))).toHaveLength(1);
    const events = await changesSince(queue, 0);
    expect(events.find(({ kind }) => kind === 'signal.recorded')?.via).toBe('mcp');
  });
});

it('one connection of the supervisor writes events for several channels, each with its own name', async () => {
  const project = await projectWithTasks('One');
  const server = await sessionServer(project);
  const { queue } = server;
  const run_id = await startRun(queue, { pid: process.pid, process_started: null });
  await claim(queue, { run_id, session_id: 'mixed' });
  const { env } = await atWork(server, { session_id: 'mixed', root: project.root });
  const client = await connectWithin(project, { env });
  await Promise.all([
    callTool(client, 'learned', LEARNED),
    addComment(queue, 1, 'By the person.'),
    callTool(client, 'flag', { what: 'x', severity: 'info', category: 'bug' }),
  ]);
  const seen = (await changesSince(queue, 0)).map(({ kind, via }) => `${kind} ${via}`);
  expect(seen).toEqual(expect.arrayContaining(['comment.added cli', 'signal.recorded mcp']));
  expect(seen).not.toContain('signal.recorded cli');
  expect(seen).not.toContain('comment.added mcp');
});

it('progress, cancellation and subscriptions pass the relay', async () => {
  const project = await projectWithTasks('One');
  const { env, queue } = await claimed(project, 'watched');
  const relay = await greeted(project, env);
  relay.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  relay.send({ jsonrpc: '2.0', id: 1, method: 'resources/subscribe', params: { uri: 'ralph://tasks/1' } });
  await relay.answer(1);
  const lock = lockDatabase(project);
  const call = toolCall(2, 'learned', LEARNED);
  relay.send({ ...call, params: { ...call.params, _meta: { progressToken: 'p' } } });
  relay.send(toolCall(3, 'learned', LEARNED));
  relay.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 3 } });
  await expect.poll(() => relay.output().stdout).toContain('"notifications/progress"');
  lock.release();
  expect(await relay.answer(2)).toHaveProperty('result');
  await addComment(queue, 1, 'Look at it again.');
  await expect.poll(() => relay.output().stdout).toContain('notifications/resources/updated');
  expect(relay.output().stdout).not.toMatch(/"id":3\b/);
});

it('a session cannot speak for another, whatever its variables say', async () => {
  const project = await projectWithTasks('One', 'Two');
  const first = await claimed(project, 'first');
  const second = await claimed(project, 'second');
  const client = await connect(project, { env: { ...second.env, RALPH_SESSION_ID: 'first' } });
  await callTool(client, 'learned', LEARNED);
  const rows = (id: string) => first.queue.store.read((db) => signalsOfSession(db, id));
  expect([await rows('first'), await rows('second')].map(({ length }) => length)).toEqual([0, 1]);
  const other = client.getPrompt({ name: 'task_execution', arguments: { id: '1' } });
  await expect(other).rejects.toThrow(/This session is for task 2/);
});

it('the token of a session ends with it: its relay ends, and another one answers with a sentence', async () => {
  const project = await projectWithTasks('One');
  const { env, session, queue } = await claimed(project, 'ended');
  const relay = await greeted(project, env);
  await session.end();
  expect(await relay.exited).toEqual({ code: 0, signal: null });
  expect(existsSync(session.folder)).toBe(false);
  const late = rawServer(project, env);
  late.send(initialize(1));
  late.send(toolCall(2, 'learned', LEARNED));
  const refused = failure(/^Not recorded: the session of this connection has ended/);
  expect([await late.answer(1), await late.answer(2)]).toMatchObject([refused, refused]);
  late.child.stdin.end();
  expect(await late.exited).toEqual({ code: 0, signal: null });
  expect(await queue.store.read((db) => signalsOfSession(db, 'ended'))).toEqual([]);
});

it('a relay without a supervisor answers every request with a sentence, until its input ends', async () => {
  const project = await initialised();
  const relay = rawServer(project, { RALPH_SOCKET: join(project.home, 'none.sock'), RALPH_TOKEN: 'x' });
  for (const id of [1, 2]) {
    relay.send(toolCall(id, 'done', { summary: 'All.' }));
    expect(await relay.answer(id)).toMatchObject(failure(/^Not recorded: Ralph is gone/));
  }
  relay.child.stdin.end();
  expect(await relay.exited).toEqual({ code: 0, signal: null });
});

describe('a connection that begins with', () => {
  it.each([
    ['no token', {}],
    ['a token that is none', { token: 'x'.repeat(43) }],
    ['a token that is no text', { token: ['x'] }],
    ['what is no JSON', 'GET / HTTP/1.1'],
    ['more than any greeting', 'x'.repeat(100_000)],
  ])('a connection that begins with %s is refused with a sentence', async (_, first) => {
    const project = await projectWithTasks('One');
    const { env } = await claimed(project, 'guarded');
    const socket = connectSocket(env['RALPH_SOCKET'] ?? '');
    socket.on('error', () => {});
    socket.write(`${typeof first === 'string' ? first : JSON.stringify(first)}\n`);
    expect(JSON.parse(await text(socket))).toEqual({ refused: expect.stringMatching(/^Not recorded: /) });
    const client = await connectWithin(project, { env });
    expect((await callTool(client, 'learned', LEARNED)).isError).toBe(false);
  });
});

it('a line of 10 MB costs its client the connection, and no other client anything', async () => {
  const project = await projectWithTasks('One');
  const { env } = await claimed(project, 'long');
  const relay = await greeted(project, env);
  relay.send(toolCall(1, 'learned', { text: 'x'.repeat(10 * 1024 * 1024), kind: 'discovery' }));
  expect(await relay.answer(1)).toMatchObject(failure(/^Not recorded: /));
  await relay.exited;
  const next = await greeted(project, env);
  next.send(toolCall(2, 'learned', LEARNED));
  expect(await next.answer(2)).toHaveProperty('result');
});

it('a client that does not read its answers is not read either, and the others are served', async () => {
  const project = await projectWithTasks('One', 'Two');
  await project.json('edit', '1', '--description', 'It has rules. '.repeat(1_000));
  const server = await sessionServer(project);
  const run_id = await startRun(server.queue, { pid: process.pid, process_started: null });
  for (const session_id of ['flood', 'other']) await claim(server.queue, { run_id, session_id });
  let reads = 0;
  const counting = (store: Store): Store => ({
    ...store,
    via: (channel) => counting(store.via(channel)),
    read: (work) => {
      reads += 1;
      return store.read(work);
    },
  });
  const queue = { ...server.queue, store: counting(server.queue.store) };
  const flood = await atWork(server, { session_id: 'flood', root: project.root, queue });
  const other = await atWork(server, { session_id: 'other', root: project.root });
  const REQUESTS = 200;
  const read = { method: 'resources/read', params: { uri: 'ralph://tasks/1' } };
  const socket = await greet(flood.env);
  socket.pause().write(`${JSON.stringify(initialize(0))}\n`);
  for (let id = 1; id <= REQUESTS; id++) socket.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...read })}\n`);
  await expect.poll(() => reads).toBeGreaterThan(0);
  const client = await connectWithin(project, { env: other.env });
  for (let call = 0; call < 60; call++) await callTool(client, 'learned', LEARNED);
  expect(reads).toBeLessThan(REQUESTS / 2);
  let answers = 0;
  let rest = '';
  socket.setEncoding('utf8').on('data', (part: string) => {
    const lines = (rest + part).split('\n');
    rest = lines.pop() ?? '';
    answers += lines.filter((line) => line.includes('"contents"')).length;
  });
  socket.resume();
  await expect.poll(() => answers).toBe(REQUESTS);
  socket.destroy();
});

describe('the relay ends', () => {
  it.each(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const)('the relay ends on %s', async (signal) => {
    const project = await projectWithTasks('One');
    const { env } = await claimed(project, 'signalled');
    const relay = await greeted(project, env);
    relay.child.kill(signal);
    await relay.exited;
  });

  it('the relay ends with its input, and a verb that is being recorded is answered first', async () => {
    const project = await projectWithTasks('One');
    const { env } = await claimed(project, 'last');
    const relay = await greeted(project, env);
    relay.send(toolCall(1, 'learned', LEARNED));
    relay.child.stdin.end();
    expect(await relay.answer(1)).toHaveProperty('result');
    expect(await relay.exited).toEqual({ code: 0, signal: null });
  });

  it('the relay ends when its output has no reader any more', async () => {
    const project = await projectWithTasks('One');
    const { env } = await claimed(project, 'unread');
    const relay = await greeted(project, env);
    relay.child.stdout.destroy();
    relay.send({ jsonrpc: '2.0', id: 2, method: 'ping' });
    relay.send({ jsonrpc: '2.0', id: 3, method: 'ping' });
    await relay.exited;
  });
});

it('after a SIGKILL of the supervisor every acknowledged verb is there once, and the others have a sentence', async () => {
  const { project } = await scripted({ 1: [[HANGS]] });
  await project.json('add', 'One');
  const runtime = join(project.home, 'run');
  mkdirSync(runtime, { mode: 0o700 });
  const env = {
    ...WITHOUT_SANDBOX,
    HOME: project.home,
    PATH: process.env['PATH'],
    XDG_RUNTIME_DIR: runtime,
  };
  const { child, ended, marker } = await runUntilAtWork(project, { env });
  const [folder = ''] = sessionFolders(runtime);
  const { RALPH_SOCKET = '', RALPH_TOKEN = '' } = readServer(join(folder, 'mcp.json')).env;
  // Without the mark of the session: whoever ends its processes must not end this one.
  const relay = await greeted(project, { RALPH_SOCKET, RALPH_TOKEN });
  relay.send(toolCall(1, 'learned', LEARNED));
  expect(await relay.answer(1)).toHaveProperty('result');
  const lock = lockDatabase(project);
  relay.send(toolCall(2, 'learned', { ...LEARNED, text: 'Never acknowledged.' }));
  relay.send({ jsonrpc: '2.0', id: 3, method: 'ping' });
  // Its ping was answered, so the verb has reached the supervisor.
  await relay.answer(3);
  child.kill('SIGKILL');
  expect(await relay.answer(2)).toMatchObject(failure(/^Not recorded: Ralph is gone/));
  expect(await relay.exited).toEqual({ code: 0, signal: null });
  await ended;
  lock.release();
  const session_id = marker.split('=')[1] ?? '';
  const rows = await (await queueOf(project)).store.read((db) => signalsOfSession(db, session_id));
  expect(rows.map(({ signal }) => signal)).toMatchObject([{ verb: 'learned', text: LEARNED.text }]);
  // What it left may hold secrets; the next start removes it.
  await (await sessionServer({ ...project, env: { XDG_RUNTIME_DIR: runtime } })).close();
  expect(readdirSync(join(runtime, 'ralph'))).toEqual([]);
});

const sessionFolders = (runtime: string): string[] =>
  readdirSync(join(runtime, 'ralph'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('mcp.json'))
    .map((name) => dirname(join(runtime, 'ralph', name)));

const readServer = (file: string): { env: Record<string, string> } =>
  JSON.parse(readFileSync(file, 'utf8')).mcpServers.ralph;

it('what an agent and its server are started with leads neither to the state nor to another session', async () => {
  const look = 'env > ~/seen; cat "$RALPH_MCP_CONFIG" > ~/config; ls -ld "$RALPH_MCP_CONFIG" > ~/mode';
  const { project } = await scripted({
    1: [[{ shell: look }, { verb: 'done', args: { summary: 'Built.' }, insists: true }]],
  });
  await project.json('add', 'One');
  await project.within('run');
  const seen = readFileSync(join(project.home, 'seen'), 'utf8');
  const config = readFileSync(join(project.home, 'config'), 'utf8');
  const { stateDir } = findProject(project.root);
  for (const words of [seen, config]) {
    expect(words).not.toContain(stateDir);
    expect(words).not.toContain('ralph.db');
    expect(words).not.toMatch(/RALPH_(PROJECT|TASK_ID|RECIPE|WORK_TREE|READY_FILE)/);
  }
  expect(seen).not.toContain('RALPH_TOKEN');
  const { env } = readServer(join(project.home, 'config'));
  expect(Object.keys(env)).toEqual(['RALPH_SOCKET', 'RALPH_TOKEN', 'RALPH_SESSION_ID']);
  expect(Buffer.from(env['RALPH_TOKEN'] ?? '', 'base64url')).toHaveLength(32);
  expect(readFileSync(join(project.home, 'mode'), 'utf8')).toMatch(/^-rw-------/);
  const file = /^RALPH_MCP_CONFIG=(.*)$/m.exec(seen)?.[1] ?? '';
  expect([existsSync(dirname(file)), existsSync(env['RALPH_SOCKET'] ?? '')]).toEqual([false, false]);
});

describe('a hook', () => {
  const STEP = '{"tool_input":{"command":"ls"}}';
  const ask = (command: readonly string[], name: string): Promise<object> =>
    new Promise((found) => {
      const [node = '', ...args] = command;
      const hook = execFile(node, [...args, name], { env: {} }, (error, _, text) =>
        found({ code: error === null ? 0 : error.code, text }),
      );
      hook.stdin?.end(STEP);
    });

  it('a hook asks the supervisor, and without one a turn may end but no tool may be used', async () => {
    const project = await projectWithTasks('One');
    const server = await sessionServer(project);
    const asked: string[] = [];
    const session = await atWork(server, {
      session_id: 'hooked',
      root: project.root,
      answerHook: async (name, input) => {
        asked.push(`${name} ${input}`);
        return name === 'stop' ? { exitCode: 2, text: 'Not yet.\n' } : { exitCode: 0, text: '' };
      },
    });
    const config = JSON.stringify({ mcpServers: { ralph: session.server } });
    writeFileSync(join(session.folder, 'mcp.json'), config);
    expect(await ask(session.hook, 'stop')).toEqual({ code: 2, text: 'Not yet.\n' });
    expect(await ask(session.hook, 'guard')).toEqual({ code: 0, text: '' });
    expect(asked[1]).toBe(`guard ${STEP}`);
    await session.end();
    mkdirSync(session.folder, { recursive: true });
    for (const isFileThere of [false, true]) {
      if (isFileThere) writeFileSync(join(session.folder, 'mcp.json'), config);
      expect(await ask(session.hook, 'stop')).toEqual({ code: 0, text: '' });
      expect(await ask(session.hook, 'guard')).toEqual({
        code: 2,
        text: expect.stringContaining('no tool may be used'),
      });
    }
  });
});

it('ralph serve that an agent starts by itself is refused', async () => {
  const server = rawServer(await initialised(), { RALPH_SESSION_ID: 'mine' });
  expect(await server.exited).toMatchObject({ code: 1 });
  expect(server.output().stderr).toMatch(/This is a session of an agent, which reaches Ralph only through/);
});

it('nobody but its user reaches the socket and the folder of a session', async () => {
  const { session } = await claimed(await projectWithTasks('One'), 'private');
  const modes = [session.socket, session.folder, dirname(session.socket)].map(
    (path) => statSync(path).mode & 0o777,
  );
  expect(modes).toEqual([0o600, 0o700, 0o700]);
  expect(Buffer.byteLength(session.socket)).toBeLessThanOrEqual(107);
});
