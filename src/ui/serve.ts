// The dashboard's server: the page's files, its views, its actions, and its stream of events.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { Refusal } from '../domain/refusal.ts';
import { maskValue } from '../domain/secrets/mask-secrets.ts';
import { readSize } from '../files/own-file.ts';
import {
  bearerToken,
  findDenial,
  findForeignPage,
  findPageDenial,
  type Guard,
  guardFor,
  isSame,
  listenAt,
  listeningPort,
  serverProof,
} from '../host/http/http-guard.ts';
import { ARTIFACT } from '../host/session-folder.ts';
import { resolveSessionId } from '../queue/sessions/sessions.ts';
import { ACTIONS } from './actions/index.ts';
import type { UiBackend } from './backend.ts';
import { checkSurroundings } from './health.ts';
import { checkInput, deny, HttpError, readBody, refuse, sendError, sendJson } from './http.ts';
import { type Live, openLive } from './live.ts';
import { openServer, openTickets, type Tickets } from './open-server.ts';
import { type PageFiles, readPageFiles } from './page-files.ts';
import { findView } from './views/index.ts';

const HOST = '127.0.0.1';
const HELLO = '/api/hello';
const ENTER = '/api/enter';

export type UiServer = { port: number; close(): Promise<void> };

/** `code`: the person types it for some actions. */
type ServeOptions = { port: number; token: string; code: string; pageFolder: string };

export async function serveUi(
  backend: UiBackend,
  { port, token, code, pageFolder }: ServeOptions,
): Promise<UiServer> {
  const page = await readPageFiles(pageFolder);
  const tickets = openTickets(backend.queue.now);
  const live = openLive({ ...backend, surroundings: () => checkSurroundings(backend) });
  const server = openServer((request, response) => {
    const guard = guardFor(HOST, listeningPort(server), token);
    const url = parseUrl(request);
    if (url.pathname === HELLO) {
      greet(request, response, guard, url);
      return;
    }
    if (url.pathname === ENTER) {
      enter(request, response, guard, tickets);
      return;
    }
    const isApi = url.pathname.startsWith('/api/');
    const denial = isApi ? findDenial(request.headers, guard) : findPageDenial(request.headers, guard);
    if (denial !== null) {
      deny(response, denial);
      return;
    }
    const answering = isApi
      ? answer({ backend, live, tickets, code }, { request, response, url })
      : sendPage({ request, response, url }, page);
    answering.catch((error: unknown) => sendError(response, error, backend.report));
  });
  const at = await listenAt(server, { host: HOST, port });
  return {
    port: at,
    close: () =>
      new Promise((closed) => {
        live.close();
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

/** Proves to a page that this is the server it came from. Needs what loading the page needs, and no token. */
function greet({ headers }: IncomingMessage, response: ServerResponse, guard: Guard, url: URL): void {
  const denial = findPageDenial(headers, guard);
  const nonce = url.searchParams.get('nonce') ?? '';
  if (denial !== null) deny(response, denial);
  else if (!/^[0-9a-f]{32}$/.test(nonce)) sendJson(response, 400, { error: 'A nonce is needed.' });
  else sendJson(response, 200, { proof: serverProof(guard.token, headers.host ?? '', nonce) });
}

/** Exchanges a ticket for the token. By POST, so that a browser's prefetch uses no ticket up. */
function enter(
  { headers, method }: IncomingMessage,
  response: ServerResponse,
  guard: Guard,
  tickets: Tickets,
): void {
  const denial = findForeignPage(headers, guard);
  if (denial !== null) deny(response, denial);
  else if (method !== 'POST') refuse(response, 405, 'Tickets are sent by POST.');
  else if (tickets.take(bearerToken(headers))) sendJson(response, 200, { token: guard.token });
  else
    deny(response, {
      status: 401,
      message: 'This ticket was used already or has expired; open the address that ralph ui printed.',
    });
}

type ServerParts = { backend: UiBackend; live: Live; tickets: Tickets; code: string };
type Exchange = { request: IncomingMessage; response: ServerResponse; url: URL };

/** The host is prefixed, so that no part of the path is read as another host. What is no path becomes one of no page. */
const parseUrl = ({ url = '' }: IncomingMessage): URL =>
  new URL(`http://${HOST}${url.startsWith('/') ? url : '/*'}`);

async function answer(parts: ServerParts, exchange: Exchange): Promise<void> {
  const { backend, live, tickets } = parts;
  const { request, response, url } = exchange;
  const action = /^\/api\/do\/([\w-]+)$/.exec(url.pathname)?.[1];
  if (action !== undefined) return act(parts, action, exchange);
  if (url.pathname === '/api/ticket' && request.method === 'POST')
    return sendJson(response, 200, { ticket: tickets.issue() });
  if (request.method !== 'GET') throw new HttpError(405, 'This address is only read; nothing was changed.');
  if (url.pathname === '/api/events') return follow(backend, live, exchange);
  const found = findView(url.pathname);
  if (found === null) throw new HttpError(404, 'There is nothing at this address.');
  const input = checkInput(found.view.input, { ...Object.fromEntries(url.searchParams), ...found.names });
  const closed = new AbortController();
  response.on('close', () => closed.abort());
  sendJson(
    response,
    200,
    maskValue(await found.view.read(backend, input, closed.signal), backend.queue.mask),
  );
}

async function act(
  { backend, code }: ServerParts,
  name: string,
  { request, response }: Exchange,
): Promise<void> {
  if (request.method !== 'POST') throw new HttpError(405, 'Actions are sent by POST; nothing was changed.');
  const action = ACTIONS.get(name);
  if (action === undefined) throw new HttpError(404, 'There is no such action; nothing was changed.');
  if (backend.isReadOnly)
    throw new HttpError(403, 'This dashboard was started with --read-only; nothing was changed.');
  if (action.needsCode && !isSame(String(request.headers['ralph-code'] ?? ''), code))
    throw new HttpError(403, 'This needs the code that ralph ui shows in its terminal; nothing was changed.');
  const input = checkInput(action.input, await readBody(request));
  const { refusal } = action.needsFiles ? await backend.sync() : { refusal: null };
  if (refusal !== null) throw new Refusal(refusal);
  const done = await action.run(backend, input);
  await backend.updateMirror();
  sendJson(response, 200, maskValue(done, backend.queue.mask));
}

async function follow(backend: UiBackend, live: Live, { request, response, url }: Exchange): Promise<void> {
  const after = Number(request.headers['last-event-id'] ?? Number.NaN);
  const session = url.searchParams.get('session');
  const id = session === null ? null : await resolveSessionId(backend.queue, session);
  const open = () => backend.artifacts.open({ session_id: id ?? '' }, ARTIFACT.stream);
  const size = id === null ? null : async () => (await readSize(open)) ?? 0;
  await live.follow(response, Number.isSafeInteger(after) ? after : null, size);
}

async function sendPage({ request, response, url }: Exchange, page: PageFiles): Promise<void> {
  if (request.method !== 'GET') throw new HttpError(405, 'This address is only read; nothing was changed.');
  const found = page.at(url.pathname);
  // A person who mistyped an address gets a page that says so; a script that requests a file gets JSON.
  if (found === null && !/\btext\/html\b/.test(request.headers.accept ?? ''))
    throw new HttpError(404, 'There is no such page.');
  const { type, body } = found ?? page.document;
  response.writeHead(found === null ? 404 : 200, { 'content-type': type }).end(body);
}
