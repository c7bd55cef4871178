// The only way out of a sandbox: a proxy on a unix socket that lets through what the allow-list names and counts the rest.
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import {
  type Address,
  isAllowed,
  isLoopback,
  parseAddress,
  type Refused,
} from '../../domain/sandbox/hosts.ts';
import type { Environment } from '../processes/spawn.ts';

type Proxy = { refused: Refused; close(): Promise<void> };

type ProxyOptions = {
  /** The path of its socket. */
  socket: string;
  allowed: readonly string[];
  /** Of Ralph itself: the machine may reach the network only by a proxy. */
  env: Environment;
  onRefused?(address: string): void;
};

const CONNECT_WITHIN_MS = 30_000;

/** An agent may ask for any number of hosts, with names of any length. */
const [MAX_REFUSED, MAX_NAME] = [1_000, 200];

export async function openProxy({ socket, allowed, env, onRefused }: ProxyOptions): Promise<Proxy> {
  const refused = new Map<string, number>();
  const open = new Set<Duplex>();
  const isLet = (address: Address): boolean => {
    if (isAllowed(allowed, address)) return true;
    const name = `${address.host.replace(/[^\w.:-]/g, '?').slice(0, MAX_NAME)}:${address.port}`;
    if (refused.size >= MAX_REFUSED && !refused.has(name)) return false;
    refused.set(name, (refused.get(name) ?? 0) + 1);
    onRefused?.(name);
    return false;
  };
  const server = createServer((incoming, response) => forwardRequest(incoming, response, isLet, env));
  server.on('connect', (incoming: IncomingMessage, client: Duplex, head: Buffer) => {
    const address = parseAddress(incoming.url ?? '');
    client.on('error', () => {});
    if (address === null || !isLet(address)) {
      client.end(`HTTP/1.1 403 Forbidden\r\ncontent-type: text/plain\r\n\r\n${REFUSAL}`);
      return;
    }
    tunnel(address, client, head, env);
  });
  server.on('connection', (client) => {
    open.add(client);
    client.once('close', () => open.delete(client));
  });
  await new Promise<void>((listening, failed) => {
    server.once('error', failed);
    server.listen(socket, () => listening());
  });
  return {
    refused,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        for (const client of open) client.destroy();
      }),
  };
}

const REFUSAL = 'The sandbox of Ralph refuses this host; a person may allow it with sandbox.network.\n';

/** The person's own proxy for this host; null for none. */
function upstream({ host }: Address, env: Environment, scheme: 'http' | 'https'): URL | null {
  const read = (name: string): string | undefined => env[name] ?? env[name.toUpperCase()];
  const except = (read('no_proxy') ?? '').split(',').map((one) => one.trim().replace(/^\*?\./, ''));
  const isExcepted = except.some(
    (one) => one === '*' || one === host || (one !== '' && host.endsWith(`.${one}`)),
  );
  const url = read(`${scheme}_proxy`) ?? read('all_proxy');
  if (isExcepted || isLoopback(host) || url === undefined || !URL.canParse(url)) return null;
  const parsed = new URL(url);
  return parsed.protocol === 'http:' ? parsed : null;
}

function tunnel(address: Address, client: Duplex, head: Buffer, env: Environment): void {
  const via = upstream(address, env, 'https');
  const name = address.host.includes(':') ? `[${address.host}]` : address.host;
  if (via === null) {
    const remote = connect(address.port, address.host);
    remote.setTimeout(CONNECT_WITHIN_MS, () => remote.connecting && remote.destroy());
    remote.once('connect', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      remote.write(head);
      carry(client, remote);
    });
    remote.once('error', () => failTunnel(client));
    return;
  }
  const asked = request({
    host: via.hostname,
    port: via.port || 80,
    method: 'CONNECT',
    path: `${name}:${address.port}`,
    headers: { host: `${name}:${address.port}`, ...authorization(via) },
  });
  asked.once('connect', (response: IncomingMessage, remote: Socket, first: Buffer) => {
    if (response.statusCode !== 200) return failTunnel(client);
    client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    client.write(first);
    remote.write(head);
    carry(client, remote);
  });
  asked.once('error', () => failTunnel(client));
  asked.end();
}

const failTunnel = (client: Duplex): void => void client.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');

function carry(client: Duplex, remote: Socket): void {
  client.pipe(remote);
  remote.pipe(client);
  for (const [one, other] of [
    [client, remote],
    [remote, client],
  ] as const) {
    one.on('error', () => other.destroy());
    one.on('close', () => other.destroy());
  }
}

const authorization = ({ username, password }: URL): Record<string, string> =>
  username === ''
    ? {}
    : {
        'proxy-authorization': `Basic ${Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64')}`,
      };

/** A request for `http://host/path`, which programs send to a proxy as it is. */
function forwardRequest(
  incoming: IncomingMessage,
  response: ServerResponse,
  isLet: (address: Address) => boolean,
  env: Environment,
): void {
  const url = URL.canParse(incoming.url ?? '') ? new URL(incoming.url ?? '') : null;
  if (url?.protocol !== 'http:') {
    response.writeHead(400).end();
    return;
  }
  const address = { host: url.hostname.replace(/^\[|\]$/g, '').toLowerCase(), port: Number(url.port || 80) };
  if (!isLet(address)) {
    response.writeHead(403, { 'content-type': 'text/plain' }).end(REFUSAL);
    return;
  }
  const via = upstream(address, env, 'http');
  const { 'proxy-connection': _, ...headers } = incoming.headers;
  const outgoing = request(
    {
      host: via?.hostname ?? address.host,
      port: via?.port || (via === null ? address.port : 80),
      method: incoming.method,
      path: via === null ? `${url.pathname}${url.search}` : url.href,
      headers: { ...headers, ...(via === null ? {} : authorization(via)) },
    },
    (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    },
  );
  outgoing.on('error', () => {
    if (response.headersSent) response.destroy();
    else response.writeHead(502).end();
  });
  incoming.pipe(outgoing);
}
