// The edge of the server: limits for each connection, and the same headers on every answer.

import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

const HEADERS_WITHIN_MS = 10_000;
const REQUEST_WITHIN_MS = 30_000;
/** Longer than any client keeps a connection: Node's 5 s end it while a slow client is about to use it, and its call fails. */
const KEEP_ALIVE_MS = 120_000;
/** How often Node looks for connections that are too slow. */
const CHECK_EVERY_MS = 5_000;

/** The page loads nothing from elsewhere, no other page may embed it, and no answer is cached. */
const HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};

export function openServer(answer: (request: IncomingMessage, response: ServerResponse) => void): Server {
  const limits = {
    headersTimeout: HEADERS_WITHIN_MS,
    requestTimeout: REQUEST_WITHIN_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionsCheckingInterval: CHECK_EVERY_MS,
    // The guard refuses a request without a host, as it refuses one with another host.
    requireHostHeader: false,
  };
  const withHeaders =
    (then: (request: IncomingMessage, response: ServerResponse) => void) =>
    (request: IncomingMessage, response: ServerResponse): void => {
      for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
      then(request, response);
    };
  return createServer(limits, withHeaders(answer))
    .on(
      'checkExpectation',
      withHeaders((_, response) => response.writeHead(417).end()),
    )
    .on('clientError', refuse);
}

/** What is no HTTP, too long or too slow is refused before Node makes a request of it. */
const ANSWERS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

function refuse(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const lines = [
    `HTTP/1.1 ${ANSWERS[error.code ?? ''] ?? '400 Bad Request'}`,
    ...Object.entries(HEADERS).map(([name, value]) => `${name}: ${value}`),
    'content-length: 0',
    'connection: close',
  ];
  socket.end(`${lines.join('\r\n')}\r\n\r\n`, () => socket.destroy());
}

/** Long enough for a browser to start. */
const VALID_FOR_MS = 60_000;

/** A ticket stands in for the token in the address that Ralph starts a browser with: other users can read a command line. */
export type Tickets = {
  issue(): string;
  /** True once per ticket, within 60 s. */
  take(ticket: string): boolean;
};

export function openTickets(now: () => number): Tickets {
  const until = new Map<string, number>();
  return {
    issue: () => {
      for (const [ticket, end] of until) if (end < now()) until.delete(ticket);
      const ticket = `once-${randomBytes(16).toString('hex')}`;
      until.set(ticket, now() + VALID_FOR_MS);
      return ticket;
    },
    take: (ticket) => {
      const end = until.get(ticket);
      until.delete(ticket);
      return end !== undefined && now() <= end;
    },
  };
}
