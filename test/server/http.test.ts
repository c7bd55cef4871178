import { request } from 'node:http';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { closeQueue } from '../../src/queue/queue.ts';
import { INTERACTIVE_TOOLS } from '../../src/tools/index.ts';
import { openServer } from '../../src/ui/open-server.ts';
import {
  callTool,
  changeSomething,
  ERAS,
  type Era,
  initialize,
  MODERN,
  rawServer,
  readText,
} from '../support/mcp.ts';
import { initialised, type TestProject } from '../support/ralph.ts';

type Running = { url: string; token: string; server: ReturnType<typeof rawServer> };

async function serveHttp(project: TestProject): Promise<Running> {
  const server = rawServer(project, {}, ['serve', '--http', '--json']);
  const line = await new Promise<string>((found, failed) => {
    server.child.stdout.once('data', found);
    void server.exited.then(() => failed(new Error(server.output().stderr)));
  });
  return { ...(JSON.parse(line) as { url: string; token: string }), server };
}

async function connectHttp(
  { url, token }: Pick<Running, 'url' | 'token'>,
  era: Era,
  options = {},
): Promise<Client> {
  const client = new Client(
    { name: 'test', version: '1' },
    { ...options, versionNegotiation: { mode: era === 'modern' ? { pin: MODERN } : 'legacy' } },
  );
  const headers = { authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  onTestFinished(() => client.close());
  return client;
}

describe.each(ERAS)('over HTTP (%s)', (era) => {
  it('a client takes a task, is asked, and finishes it', async () => {
    const project = await initialised({ git: false });
    await project.json('add', 'One');
    const running = await serveHttp(project);
    const client = await connectHttp(running, era, { capabilities: { elicitation: { form: {} } } });
    client.setRequestHandler('elicitation/create', async () => ({
      action: 'accept',
      content: { answer: 'UTC' },
    }));
    expect((await client.listTools()).tools).toHaveLength(INTERACTIVE_TOOLS.length);
    expect((await callTool(client, 'next_task')).text).toContain('#1 One');
    expect((await callTool(client, 'ask', { question: 'Zone?', blocking: true })).text).toContain('UTC');
    changeSomething(project);
    expect((await callTool(client, 'done', { summary: 'Built.' })).text).toContain('Task 1 is done');
    expect(await readText(client, 'ralph://tasks/1/receipt')).toContain('```\nBuilt.\n```');
  });

  it('a subscriber hears of a task that another process adds', async () => {
    const project = await initialised();
    const client = await connectHttp(await serveHttp(project), era);
    const heard = new Promise<string>((updated) => {
      client.setNotificationHandler('notifications/resources/updated', ({ params }) => updated(params.uri));
    });
    if (era === 'legacy') await client.subscribeResource({ uri: 'ralph://queue' });
    else await client.listen({ resourceSubscriptions: ['ralph://queue'] });
    await project.json('add', 'From elsewhere');
    expect(await heard).toBe('ralph://queue');
  });

  it('a task that is held goes back when the server ends', async () => {
    const project = await initialised({ git: false });
    await project.json('add', 'One');
    const running = await serveHttp(project);
    const client = await connectHttp(running, era);
    await callTool(client, 'next_task');
    running.server.child.kill('SIGTERM');
    expect(await running.server.exited).toEqual({ code: 0, signal: null });
    expect(await project.json('show', '1')).toMatchObject({ status: 'pending', attempts: 0 });
  });
});

/** What no browser would let a page send: any header, any Host. */
function send(
  { url }: Running,
  headers: Record<string, string>,
  {
    path,
    body = JSON.stringify(initialize(1)),
  }: {
    path?: string;
    /** Null to announce one in the headers and never send it. */
    body?: string | null;
  } = {},
): Promise<number> {
  const { hostname, port, pathname } = new URL(url);
  return new Promise((answered, failed) => {
    const sent = request(
      {
        hostname,
        port,
        path: path ?? pathname,
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...headers,
        },
      },
      (response) => {
        response.resume();
        answered(response.statusCode ?? 0);
        // A server that has answered need not read the rest.
        sent.removeListener('error', failed).on('error', () => {});
        if (body === null) sent.destroy();
      },
    );
    sent.on('error', failed);
    if (body === null) sent.flushHeaders();
    else sent.end(body);
  });
}

it('serves nobody but who has the token, knows its name, and is no web page', async () => {
  const running = await serveHttp(await initialised());
  const { url, token } = running;
  const authorization = `Bearer ${token}`;
  const { host, port } = new URL(url);
  expect(await send(running, { authorization })).toBe(200);
  expect(await send(running, { authorization, host: `localhost:${port}` })).toBe(200);
  expect(await send(running, { authorization, origin: `http://${host}` })).toBe(200);
  expect(await send(running, { authorization, 'sec-fetch-site': 'same-origin' })).toBe(200);
  const refused: [Record<string, string>, number][] = [
    [{}, 401],
    [{ authorization: 'Bearer ' }, 401],
    [{ authorization: `Bearer ${token.slice(1)}` }, 401],
    [{ authorization: `Bearer ${token}x` }, 401],
    [{ authorization: `Basic ${token}` }, 401],
    [{ authorization, host: 'evil.example' }, 403],
    [{ authorization, host: `evil.example:${port}` }, 403],
    [{ authorization, host: '127.0.0.1:1' }, 403],
    [{ authorization, origin: 'http://evil.example' }, 403],
    [{ authorization, origin: 'null' }, 403],
    [{ authorization, origin: 'http://127.0.0.1:1' }, 403],
    [{ authorization, 'sec-fetch-site': 'cross-site' }, 403],
    [{ authorization, 'sec-fetch-site': 'same-site' }, 403],
    [{ authorization, 'sec-fetch-site': 'none' }, 403],
  ];
  for (const [headers, status] of refused) expect(await send(running, headers)).toBe(status);
  expect(await send(running, { authorization }, { path: '/other' })).toBe(404);
  expect(await send(running, { authorization, 'content-length': '5000000' }, { body: null })).toBe(413);
  expect(await send(running, { authorization, 'content-type': 'text/plain' })).toBe(415);
});

it('the HTTP server holds no more than fifty sessions of the older protocol', async () => {
  const running = await serveHttp(await initialised());
  const headers = { authorization: `Bearer ${running.token}` };
  const first = await connectHttp(running, 'legacy');
  for (let count = 0; count < 50; count++) expect(await send(running, headers)).toBe(200);
  // It was not used for longest, and held no task.
  await expect(first.listTools()).rejects.toThrow();
  expect((await (await connectHttp(running, 'legacy')).listTools()).tools).toHaveLength(
    INTERACTIVE_TOOLS.length,
  );
});

it('the HTTP server keeps a session that holds a task, whatever other clients come', async () => {
  const project = await initialised({ git: false });
  await project.json('add', 'One');
  const running = await serveHttp(project);
  const headers = { authorization: `Bearer ${running.token}` };
  const holder = await connectHttp(running, 'legacy');
  await callTool(holder, 'next_task');
  for (let count = 0; count < 60; count++) expect(await send(running, headers)).toBe(200);
  changeSomething(project);
  expect((await callTool(holder, 'done', { summary: 'Built.' })).text).toContain('Task 1 is done');
});

it('the HTTP server takes a task back from a client that went away without a word', async () => {
  const project = await initialised({ git: false });
  await project.json('add', 'One');
  const { listen } = await import('../../src/cli/serve/http.ts');
  const { bindingFor } = await import('../../src/app/binding.ts');
  const context = {
    project: project.root,
    env: { HOME: project.home, PATH: process.env['PATH'] },
    now: Date.now,
    version: '1',
    program: { node: process.execPath, script: 'ralph.js' },
    hasTerminal: () => true,
    pipes: { log: () => {} },
  };
  const face = bindingFor(context);
  const idleMs = 60_000;
  // Its clock stands still until the client is gone.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  const { url, server, serving } = await listen(face, { host: '127.0.0.1', port: 0 }, 'token', { idleMs });
  // Whoever closes first may do so while the other one sends: that must not be the server.
  expect([server, openServer(() => {})].map(({ keepAliveTimeout }) => keepAliveTimeout)).toEqual([
    120_000, 120_000,
  ]);
  onTestFinished(async () => {
    vi.useRealTimers();
    await serving.close();
    server.closeAllConnections();
    server.close();
    await closeQueue((await face.backend()).queue);
  });
  const client = await connectHttp({ url, token: 'token' }, 'legacy');
  await callTool(client, 'next_task');
  await client.close();
  const status = async () => ((await project.json('show', '1')) as { status: string }).status;
  expect(await status()).toBe('in_progress');
  const later = (): Promise<string> => {
    vi.advanceTimersByTime(2 * idleMs);
    return status();
  };
  await expect.poll(later).toBe('pending');
});

it('the HTTP server says why it cannot listen', async () => {
  const project = await initialised();
  const { url } = await serveHttp(project);
  expect(await project.ralph('serve', '--http', new URL(url).port)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /Cannot listen on 127\.0\.0\.1 port \d+ \(EADDRINUSE\); choose another port/,
    ),
  });
  expect(await project.ralph('serve', '--http', '99999')).toMatchObject({ code: 2 });
});
