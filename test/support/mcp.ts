// `ralph serve` in a process of its own, and clients that nobody here wrote.
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { Client, type ClientOptions } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { inject, onTestFinished } from 'vitest';
import type { RecipeName } from '../../src/domain/context.ts';
import { databasePath, findProject } from '../../src/host/project.ts';
import { closeQueue, openQueue, type Queue } from '../../src/queue/queue.ts';
import { startRun } from '../../src/queue/sessions/runs.ts';
import { claim } from '../../src/queue/tasks/claim.ts';
import { type TestProject, WITHOUT_SANDBOX } from './ralph.ts';
import { serveWithin } from './serve-within.ts';
import { atWork, sessionServer, sessionTransport, type TestSession } from './session-server.ts';

export type Era = 'legacy' | 'modern';
export const ERAS: readonly Era[] = ['legacy', 'modern'];

export const MODERN = '2026-07-28';

type Env = Readonly<Record<string, string>>;

/** The environment of a server that a client started: nothing of whoever runs the tests. */
export const serverEnv = (
  { home, env: own = {} }: Pick<TestProject, 'home' | 'env'>,
  env: Env = {},
): Record<string, string> => ({
  ...WITHOUT_SANDBOX,
  HOME: home,
  PATH: process.env['PATH'] ?? '',
  ...WITHOUT_SANDBOX,
  ...own,
  ...env,
});

/** What a client starts: the relay for a session of a supervisor, `ralph serve` for a person's own. */
export const serverArgs = (env: Env): string[] =>
  env['RALPH_SOCKET'] === undefined
    ? [inject('ralph'), 'serve']
    : [join(dirname(inject('ralph')), 'relay.js')];

export async function connect(
  project: TestProject,
  {
    era = 'modern',
    env = {},
    via = [],
    ...options
  }: {
    era?: Era;
    env?: Env;
    /** A command that starts the server in a smaller world: without a right, or with less disk. */
    via?: readonly string[];
  } & ClientOptions = {},
): Promise<Client> {
  const client = newClient(era, options);
  const transport = new StdioClientTransport({
    command: via[0] ?? process.execPath,
    args: [...via.slice(1), ...(via.length > 0 ? [process.execPath] : []), ...serverArgs(env)],
    cwd: project.root,
    env: serverEnv(project, env),
    stderr: 'ignore',
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return client;
}

/** The same without a process of its own, which takes most of its time: for what is about tools, not about processes. */
export async function connectWithin(
  project: TestProject,
  { era = 'modern', env = {}, ...options }: { era?: Era; env?: Env } & ClientOptions = {},
): Promise<Client> {
  const client = newClient(era, options);
  if (env['RALPH_SOCKET'] !== undefined) {
    const { transport, socket } = await sessionTransport(env);
    await client.connect(transport);
    onTestFinished(async () => {
      await client.close();
      socket.destroy();
    });
    return client;
  }
  const server = serveWithin(project.root, serverEnv(project, env));
  await client.connect(server.transport);
  onTestFinished(async () => {
    await client.close();
    await server.end();
  });
  return client;
}

const newClient = (era: Era, options: ClientOptions): Client =>
  new Client(
    { name: 'test', version: '1' },
    { ...options, versionNegotiation: { mode: era === 'modern' ? { pin: MODERN } : 'legacy' } },
  );

/** The text of a tool's answer, and whether it was an error. */
export async function callTool(
  client: Client,
  name: string,
  args: Record<string, unknown> = {},
  toolUseId?: string,
): Promise<{ text: string; isError: boolean }> {
  const _meta = toolUseId === undefined ? {} : { _meta: { 'claudecode/toolUseId': toolUseId } };
  const { content, isError = false } = await client.callTool({ name, arguments: args, ..._meta });
  const [first] = content;
  return { text: first?.type === 'text' ? first.text : '', isError };
}

/** Takes a task, and returns the folder that the client is to work in. */
export const takeTask = async (client: Client, args: Record<string, unknown> = {}): Promise<string> =>
  folderIn((await callTool(client, 'next_task', args)).text);

/** The folder that the answer of next_task names; the answer itself if it names none. */
export const folderIn = (text: string): string =>
  /## Where you work\n\nWork in (\S+?)[:,]/.exec(text)?.[1] ?? text;

/** What a client does before its done, which is refused where nothing has changed. */
export const changeSomething = ({ root }: TestProject): void =>
  writeFileSync(join(root, 'work.txt'), 'work\n');

export async function readText(client: Client, uri: string): Promise<string> {
  const [content] = (await client.readResource({ uri })).contents;
  return content !== undefined && 'text' in content ? content.text : '';
}

/** The project's queue, opened by the test itself: another process than the server. */
export async function queueOf({ root }: TestProject): Promise<Queue> {
  const queue = await openQueue(databasePath(findProject(root).stateDir));
  onTestFinished(() => closeQueue(queue));
  return queue;
}

/** What a supervisor does before it launches an agent. `env`: what the agent's server is started with. */
export async function claimed(
  project: TestProject,
  session_id: string,
  recipe: RecipeName = 'task_execution',
): Promise<{ queue: Queue; env: Record<string, string>; session: TestSession }> {
  const queue = await queueOf(project);
  const run_id = await startRun(queue, { pid: process.pid, process_started: null });
  const taken = await claim(queue, { run_id, session_id });
  if (taken === null) throw new Error('nothing is ready');
  const session = await atWork(await sessionServer(project), { session_id, recipe, root: project.root });
  return { queue, env: session.env, session };
}

export type RawServer = {
  child: ChildProcessByStdio<Writable, Readable, Readable>;
  /** Everything it wrote so far. */
  output(): { stdout: string; stderr: string };
  send(message: unknown): void;
  /** The message with this id, once it is there. */
  answer(id: number): Promise<Record<string, unknown>>;
  exited: Promise<{ code: number | null; signal: string | null }>;
};

/** The same without a client: for what no client would send, and for every byte that comes back. */
export function rawServer(project: TestProject, env: Env = {}, args?: readonly string[]): RawServer {
  const words = args === undefined ? serverArgs(env) : [inject('ralph'), ...args];
  const child = spawn(process.execPath, words, {
    cwd: project.root,
    env: serverEnv(project, env),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  let rest = '';
  let seen = () => {};
  const answers = new Map<unknown, Record<string, unknown>>();
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    const lines = `${rest}${text}`.split('\n');
    rest = lines.pop() ?? '';
    for (const message of lines.map((line): Record<string, unknown> => JSON.parse(line)))
      if ('id' in message) answers.set(message['id'], message);
    seen();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  child.stdin.on('error', () => {});
  const exited = new Promise<{ code: number | null; signal: string | null }>((over) => {
    child.once('exit', (code, signal) => {
      over({ code, signal });
      seen();
    });
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  return {
    child,
    output: () => ({ stdout, stderr }),
    send: (message) => void child.stdin.write(`${JSON.stringify(message)}\n`),
    answer: (id) =>
      new Promise((found, failed) => {
        seen = () => {
          const message = answers.get(id);
          if (message !== undefined) found(message);
          else if (child.exitCode !== null || child.signalCode !== null)
            failed(new Error(`the server ended without an answer: ${stderr}`));
        };
        seen();
      }),
    exited,
  };
}

export const initialize = (id: number) => ({
  jsonrpc: '2.0',
  id,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
});

export const toolCall = (id: number, name: string, args: unknown, toolUseId?: string) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: {
    name,
    arguments: args,
    ...(toolUseId !== undefined && { _meta: { 'claudecode/toolUseId': toolUseId } }),
  },
});
