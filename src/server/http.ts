// Streamable HTTP. The newer protocol has no sessions, the older one has; both get the same server.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type NodeIncomingMessageLike, toNodeHandler } from '@modelcontextprotocol/node';
import {
  createMcpHandler,
  isInitializeRequest,
  isLegacyRequest,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { type ClientState, newClientState } from '../tools/client-state.ts';
import type { Binding, Client } from './binding.ts';
import { createServer } from './create-server.ts';
import { prepareListen } from './listen.ts';
import { type Watch, watchChanges } from './watch.ts';

const MAX_SESSIONS = 50;
const MAX_SUBSCRIPTIONS = 100;
/** Longer than an agent works without a call to Ralph, so only a client that has left is idle this long. */
const IDLE_MS = 4 * 60 * 60 * 1_000;
const SWEEP_EVERY_MS = 60 * 1_000;

type Session = {
  transport: WebStandardStreamableHTTPServerTransport;
  state: ClientState;
  watch: Watch;
  lastUsed: number;
  /** Streams that the client holds open: it is connected, though it sends nothing. */
  streams: number;
};

export type HttpServing = {
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
  close(): Promise<void>;
};

export type HttpOptions = {
  /** Adds handlers to each new server before it connects. */
  extend?: (server: Server, client: Client) => void;
  idleMs?: number;
};

export function serveOverHttp(binding: Binding, { extend, idleMs = IDLE_MS }: HttpOptions = {}): HttpServing {
  const sessions = new Map<string, Session>();
  // Without sessions, all clients that have the token share one state.
  const shared = newClientState(binding.session_id);
  const watch = watchChanges(binding, {
    updated: (uri) => modern.notify.resourceUpdated(uri),
    listChanged: () => modern.notify.resourcesChanged(),
  });
  const create = (state: ClientState, changes: Watch): Server => {
    const server = createServer({ binding, state }, changes);
    extend?.(server, { binding, state });
    return server;
  };
  const modern = createMcpHandler(() => create(shared, watch), {
    legacy: 'reject',
    maxSubscriptions: MAX_SUBSCRIPTIONS,
    onerror: binding.report,
  });
  const sweep = setInterval(() => void endIdle(), Math.min(SWEEP_EVERY_MS, idleMs)).unref();

  async function fetch(request: Request): Promise<Response> {
    if (await isLegacyRequest(request)) return serveLegacy(request);
    const holder = crypto.randomUUID();
    await prepareListen(await readJson(request), watch, holder);
    // A listen stream ends with its request.
    request.signal.addEventListener('abort', () => watch.release(holder), { once: true });
    return modern.fetch(request);
  }

  async function serveLegacy(request: Request): Promise<Response> {
    const id = request.headers.get('mcp-session-id');
    if (id === null) return openSession(request);
    const session = sessions.get(id);
    if (session === undefined) return problem(404, 'There is no such session; begin with initialize.');
    // Moved to the end: the first session of the map is the least recently used.
    sessions.delete(id);
    sessions.set(id, session);
    session.lastUsed = performance.now();
    if (request.method === 'GET') {
      session.streams += 1;
      request.signal.addEventListener('abort', () => {
        session.streams -= 1;
        session.lastUsed = performance.now();
      });
    }
    return session.transport.handleRequest(request);
  }

  async function openSession(request: Request): Promise<Response> {
    const isGreeting = isInitializeRequest(await readJson(request));
    if (isGreeting && !(await makeRoom()))
      return problem(503, 'All sessions hold a task; try again when one of them has ended.');
    const state = newClientState(binding.session_id);
    const changes = watchChanges(binding, {
      updated: (uri) => void server.sendResourceUpdated({ uri }).catch(binding.report),
      listChanged: () => void server.sendResourceListChanged().catch(binding.report),
    });
    const server = create(state, changes);
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) =>
        void sessions.set(id, { transport, state, watch: changes, lastUsed: performance.now(), streams: 0 }),
      onsessionclosed: (id) => end(id),
    });
    await server.connect(transport);
    const response = await transport.handleRequest(request);
    // The request was no initialize, so there is no session.
    if (transport.sessionId === undefined) await server.close();
    return response;
  }

  /** Ends the least recently used session that holds no task and runs no call. */
  async function makeRoom(): Promise<boolean> {
    if (sessions.size < MAX_SESSIONS) return true;
    const idle = [...sessions].find(([, { state }]) => state.held_task === null && state.open_calls === 0);
    if (idle === undefined) return false;
    await end(idle[0]);
    return true;
  }

  async function endIdle(): Promise<void> {
    const oldest = performance.now() - idleMs;
    for (const [id, { lastUsed, streams, state }] of [...sessions])
      if (streams === 0 && state.open_calls === 0 && lastUsed < oldest) await end(id);
  }

  async function end(id: string): Promise<void> {
    const session = sessions.get(id);
    if (session === undefined) return;
    sessions.delete(id);
    await session.watch.stop();
    await release(session.state);
    await session.transport.close();
  }

  async function release(state: ClientState): Promise<void> {
    if (state.run_id === null && state.open_calls === 0) return;
    const { leave } = await import('../tools/tasks/release.ts');
    const { queue, effects, afterChange } = await binding.backend();
    await leave(queue, state, effects).then(afterChange, binding.report);
    // SQLite writes synchronously: without a pause, a caller's timers could not fire between two releases.
    await new Promise((turn) => setImmediate(turn));
  }

  const handle = toNodeHandler({ fetch }, { onerror: binding.report });
  return {
    // Node's type allows undefined where the adapter's type allows only an absent key.
    handle: (request, response) => handle(request as NodeIncomingMessageLike, response),
    close: async () => {
      clearInterval(sweep);
      await release(shared);
      for (const id of [...sessions.keys()]) await end(id);
      await watch.stop();
      await modern.close();
    },
  };
}

/** An empty message if the body is no JSON. Reads a clone, so that the request can still be read. */
const readJson = (request: Request): Promise<unknown> =>
  request
    .clone()
    .json()
    .catch(() => ({}));

const problem = (status: number, message: string): Response =>
  Response.json({ jsonrpc: '2.0', id: null, error: { code: -32_001, message } }, { status });
