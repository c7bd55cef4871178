// Who may talk to a server on this machine: whoever was given the token, and no web page but the server's own.
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Refusal } from '../../domain/refusal.ts';

export type Guard = {
  token: string;
  /** Values of Host that name this server; null where it listens for the whole network. */
  hosts: readonly string[] | null;
};

export const newToken = (): string => randomBytes(32).toString('hex');

const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];
const WILDCARDS = ['0.0.0.0', '::', '[::]'];

export const isLoopback = (host: string): boolean =>
  host === '::1' || LOOPBACK.includes(host) || /^127\./.test(host);

export function guardFor(host: string, port: number, token: string): Guard {
  if (WILDCARDS.includes(host)) return { token, hosts: null };
  const names = isLoopback(host) ? [...LOOPBACK, host] : [host];
  return { token, hosts: names.map((name) => `${name}:${port}`) };
}

/**
 * What a server answers to a page or a program that wants to know, before it sends the token, that it is still the same one: a port may
 * have been taken by somebody else meanwhile. The name is in it, so that nobody can pass the question on.
 */
export const proofOf = (token: string, host: string, nonce: string): string =>
  createHmac('sha256', token).update(`${host} ${nonce}`).digest('hex');

export type Denial = { status: 401 | 403; message: string };

/** Null for a request that may pass. */
export function denialOf(headers: IncomingHttpHeaders, guard: Guard): Denial | null {
  const other = otherPageIn(headers, guard);
  if (other !== null) return other;
  return isSame(bearerOf(headers), guard.token)
    ? null
    : { status: 401, message: 'The token that was printed when this server started is needed.' };
}

export const bearerOf = ({ authorization = '' }: IncomingHttpHeaders): string =>
  /^Bearer (.+)$/i.exec(authorization)?.[1] ?? '';

/** Null for a request of this server's own page, or of no page at all. */
export function otherPageIn(headers: IncomingHttpHeaders, guard: Guard): Denial | null {
  const stranger = strangerIn(headers, guard);
  if (stranger !== null) return stranger;
  // A browser says where a request comes from, and a page cannot make it lie; programs say nothing.
  const site = headers['sec-fetch-site'];
  return site === undefined || site === 'same-origin' ? null : FROM_A_PAGE;
}

/** The same for what holds no secret and changes nothing: the page itself, which has no token before it is loaded. */
export function pageDenialOf(headers: IncomingHttpHeaders, guard: Guard): Denial | null {
  const stranger = strangerIn(headers, guard);
  if (stranger !== null) return stranger;
  const { 'sec-fetch-site': site, 'sec-fetch-mode': mode, 'sec-fetch-dest': dest } = headers;
  const isFollowedLink = mode === 'navigate' && dest === 'document';
  return site === undefined || site === 'same-origin' || site === 'none' || isFollowedLink
    ? null
    : FROM_A_PAGE;
}

const FROM_A_PAGE: Denial = { status: 403, message: 'Requests from other web pages are not served.' };

function strangerIn({ host = '', origin }: IncomingHttpHeaders, { hosts }: Guard): Denial | null {
  // A name that somebody else's DNS points here is not this server's.
  if (hosts !== null && !hosts.includes(host.toLowerCase()))
    return { status: 403, message: 'This host name is not one of this server.' };
  // Programs send no Origin; pages do, and only a page of this very server is welcome.
  return origin === undefined || origin.toLowerCase() === `http://${host.toLowerCase()}` ? null : FROM_A_PAGE;
}

/** Hashed first, so that neither the length nor the place of the first difference can be measured. */
function isSame(given: string, token: string): boolean {
  const [a, b] = [given, token].map((text) => createHash('sha256').update(text).digest());
  return a !== undefined && b !== undefined && timingSafeEqual(a, b);
}

export type Address = { host: string; port: number };

/** Fulfilled, with the port, when the server can be talked to; port 0 is one that is free. */
export const listenAt = (server: Server, { host, port }: Address): Promise<number> =>
  new Promise((listening, failed) => {
    server.once('error', ({ code }: NodeJS.ErrnoException) =>
      failed(
        new Refusal(
          `Cannot listen on ${host} port ${port} (${code}); choose another ${code === 'EADDRINUSE' || code === 'EACCES' ? 'port' : 'address'}.`,
        ),
      ),
    );
    server.listen(port, host, () => listening(portOf(server)));
  });

export const portOf = (server: Server): number => (server.address() as AddressInfo).port;
