// A supervisor's server within the test, and a client that reaches it without the process of a relay.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Transport } from '@modelcontextprotocol/client';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { inject, onTestFinished } from 'vitest';
import { NO_MIRROR } from '../../src/app/mirror.ts';
import { openSessionServer } from '../../src/app/sessions/session-server.ts';
import { maskSecrets } from '../../src/domain/secrets/mask-secrets.ts';
import { databasePath, findProject, type ProjectPlace, stateOwner } from '../../src/host/project.ts';
import { closeQueue, openQueue, type Queue } from '../../src/queue/queue.ts';
import type {
  ServedSession,
  SessionAccess,
  SessionServer,
} from '../../src/supervisor/sessions/session-server.ts';
import type { TestProject } from './ralph.ts';

export type TestServer = SessionServer & {
  queue: Queue;
  /** Every error that it told the person. */
  reports: string[];
  close(): Promise<void>;
};

/** With the queue of the project open, as a supervisor has it. */
export async function sessionServer({ root, home, env = {} }: TestProject): Promise<TestServer> {
  const place = findProject(root);
  const its = { HOME: home, PATH: process.env['PATH'] ?? '', ...env };
  const queue = await openQueue(databasePath(place.stateDir), Date.now, 'cli', {
    mask: maskSecrets(its),
    restoreWithin: stateOwner(place),
  });
  onTestFinished(() => closeQueue(queue));
  return serverFor(place, queue, its);
}

export async function serverFor(
  place: ProjectPlace,
  queue: Queue,
  env: Readonly<Record<string, string>> = {},
): Promise<TestServer> {
  const reports: string[] = [];
  const context = {
    env,
    now: Date.now,
    version: '0.0.0',
    program: { node: process.execPath, script: inject('ralph') },
  };
  const server = await openSessionServer(
    context,
    { ...place, queue, mirror: NO_MIRROR, env },
    (text) => void reports.push(text),
  );
  let closing: Promise<void> | null = null;
  const close = (): Promise<void> => {
    closing ??= server.close();
    return closing;
  };
  onTestFinished(close);
  return { serve: server.serve, queue, reports, close };
}

export type TestSession = SessionAccess & { env: Record<string, string>; end(): Promise<void> };

/** A session that is at work until `end` or the end of the test. */
export async function atWork(
  server: TestServer,
  session: Partial<ServedSession> & Pick<ServedSession, 'session_id' | 'root'>,
): Promise<TestSession> {
  let over = (): void => {};
  const whole: ServedSession = {
    recipe: 'task_execution',
    queue: server.queue,
    answerHook: async () => ({ exitCode: 0, text: '' }),
    ...session,
  };
  return new Promise((found, failed) => {
    const serving = server.serve(whole, (access) => {
      const end = (): Promise<void> => {
        over();
        return serving;
      };
      onTestFinished(end);
      found({ ...access, env: { ...access.server.env }, end });
      return new Promise<void>((ended) => {
        over = ended;
      });
    });
    serving.catch(failed);
  });
}

/** Connects as the relay does. */
export async function greet(env: Readonly<Record<string, string>>, more: object = {}): Promise<Socket> {
  const socket = connect(env['RALPH_SOCKET'] ?? '');
  socket.write(`${JSON.stringify({ token: env['RALPH_TOKEN'], ...more })}\n`);
  await once(socket, 'connect');
  return socket;
}

/** For a client: the messages of the session's server, after its first line. */
export async function sessionTransport(
  env: Readonly<Record<string, string>>,
): Promise<{ transport: Transport; socket: Socket }> {
  const socket = await greet(env);
  socket.on('error', () => {});
  let head = Buffer.alloc(0);
  while (!head.includes('\n')) {
    const [chunk] = (await Promise.race([once(socket, 'data'), once(socket, 'close')])) as [Buffer | boolean];
    if (typeof chunk === 'boolean') throw new Error('The server of the session is gone.');
    head = Buffer.concat([head, chunk]);
  }
  socket.pause();
  const end = head.indexOf('\n');
  const { refused } = JSON.parse(head.subarray(0, end).toString());
  if (refused !== undefined) throw new Error(refused);
  socket.unshift(head.subarray(end + 1));
  // A message is a line in both directions.
  const transport = new StdioServerTransport(socket, socket);
  setImmediate(() => socket.resume());
  return { transport, socket };
}
