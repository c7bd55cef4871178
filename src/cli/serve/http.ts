import { createServer, type Server as HttpServer } from 'node:http';
import { bindingFor } from '../../app/binding.ts';
import type { CommandContext } from '../../app/world.ts';
import {
  type Address,
  findDenial,
  guardFor,
  isLoopback,
  listenAt,
  listeningPort,
  newToken,
} from '../../host/http/http-guard.ts';
import { firstSignal } from '../../host/processes/lifetime.ts';
import { watchOver } from '../../host/processes/watcher.ts';
import type { Binding } from '../../server/binding.ts';
import { type HttpOptions, type HttpServing, serveOverHttp } from '../../server/http.ts';

const PATH = '/mcp';
const HEADERS_TIMEOUT_MS = 10_000;
/** Longer than any client keeps a connection: Node's 5 s end it while a slow client is about to use it, and its call fails. */
const KEEP_ALIVE_MS = 120_000;
/** To return tasks to the queue takes milliseconds, but not on a busy machine. */
const EXIT_TIMEOUT_MS = 10_000;

/** Serves until a signal comes. */
export async function serveHttp(context: CommandContext, address: Address): Promise<void> {
  const { takeStdout, log, exit } = context.pipes;
  const stdout = takeStdout();
  const binding = bindingFor(context);
  // The watcher ends a running gate if this server is killed.
  watchOver([context.program.node, context.program.script]);
  // If the project cannot be opened, the person who starts the server learns it, and not the first client.
  await binding.backend();
  const token = newToken();
  const { url, serving } = await listen(binding, address, token);
  if (!isLoopback(address.host))
    log(`ralph: ${address.host} is open to the network; the token alone protects this project.\n`);
  stdout.write(context.asJson ? `${JSON.stringify({ url, token })}\n` : startedText(url, token));
  await firstSignal();
  const late = new Promise<void>((over) => setTimeout(over, EXIT_TIMEOUT_MS));
  await Promise.race([serving.close().catch(binding.report), late]);
  exit(0);
}

type Listening = { url: string; server: HttpServer; serving: HttpServing };

/** The guard comes first: a request that it denies never reaches MCP. */
export async function listen(
  binding: Binding,
  { host, port }: Address,
  token: string,
  options: HttpOptions = {},
): Promise<Listening> {
  const serving = serveOverHttp(binding, options);
  const timeouts = { headersTimeout: HEADERS_TIMEOUT_MS, keepAliveTimeout: KEEP_ALIVE_MS };
  const server = createServer(timeouts, (request, response) => {
    const denial = findDenial(request.headers, guardFor(host, listeningPort(server), token));
    const isElsewhere = request.url?.split('?')[0] !== PATH;
    if (denial === null && !isElsewhere) return void serving.handle(request, response);
    const { status, message } = denial ?? { status: 404, message: `MCP is at ${PATH}.` };
    const challenge = status === 401 ? { 'www-authenticate': 'Bearer' } : {};
    response.writeHead(status, { 'content-type': 'text/plain', ...challenge }).end(`${message}\n`);
  });
  const at = await listenAt(server, { host, port });
  const name = host.includes(':') ? `[${host}]` : host;
  return { url: `http://${name}:${at}${PATH}`, server, serving };
}

const startedText = (url: string, token: string): string => `Serving MCP at ${url} until Ctrl-C.
Token, valid until then: ${token}
For Claude Code: claude mcp add --transport http ralph ${url} --header "Authorization: Bearer ${token}"
`;
