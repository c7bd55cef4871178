// Decides who may talk to a server on this machine: clients with the token, and no web page except the server's own.
import { createHash, createHmac, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Refusal } from '../../domain/refusal.ts';

export type Guard = {
  token: string;
  /** Values of Host that name this server; null if it listens on all addresses. */
  hosts: readonly string[] | null;
};

export const newToken = (): string => randomBytes(32).toString('hex');

/** No letters that look like digits. */
const CODE_LETTERS = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789';

/** For a person to type: only the terminal of the server shows it, and no file holds it. */
export const newCode = (): string =>
  Array.from({ length: 8 }, () => CODE_LETTERS[randomInt(CODE_LETTERS.length)]).join('');

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
 * Proves to a client, before it sends the token, that this is still the same server: another process may have taken the port.
 * The proof contains the host name, so that no other server can relay the question.
 */
export const serverProof = (token: string, host: string, nonce: string): string =>
  createHmac('sha256', token).update(`${host} ${nonce}`).digest('hex');

export type Denial = { status: 401 | 403; message: string };

/** Null for a request that may pass. */
export function findDenial(headers: IncomingHttpHeaders, guard: Guard): Denial | null {
  const other = findForeignPage(headers, guard);
  if (other !== null) return other;
  return isSame(bearerToken(headers), guard.token)
    ? null
    : { status: 401, message: 'The token that was printed when this server started is needed.' };
}

export const bearerToken = ({ authorization = '' }: IncomingHttpHeaders): string =>
  /^Bearer (.+)$/i.exec(authorization)?.[1] ?? '';

/** Null for a request from this server's own page, or from no page at all. */
export function findForeignPage(headers: IncomingHttpHeaders, guard: Guard): Denial | null {
  const stranger = findStranger(headers, guard);
  if (stranger !== null) return stranger;
  // A browser sends this header, and a page cannot forge it; programs do not send it.
  const site = headers['sec-fetch-site'];
  return site === undefined || site === 'same-origin' ? null : FROM_A_PAGE;
}

/** The same for the page itself, which has no token before it is loaded: it contains no secret and changes nothing. */
export function findPageDenial(headers: IncomingHttpHeaders, guard: Guard): Denial | null {
  const stranger = findStranger(headers, guard);
  if (stranger !== null) return stranger;
  const { 'sec-fetch-site': site, 'sec-fetch-mode': mode, 'sec-fetch-dest': dest } = headers;
  const isFollowedLink = mode === 'navigate' && dest === 'document';
  return site === undefined || site === 'same-origin' || site === 'none' || isFollowedLink
    ? null
    : FROM_A_PAGE;
}

const FROM_A_PAGE: Denial = { status: 403, message: 'Requests from other web pages are not served.' };

function findStranger({ host = '', origin }: IncomingHttpHeaders, { hosts }: Guard): Denial | null {
  // Against DNS rebinding: a foreign name that resolves to this address is not this server's.
  if (hosts !== null && !hosts.includes(host.toLowerCase()))
    return { status: 403, message: 'This host name is not one of this server.' };
  // Programs send no Origin. Pages do, and only this server's own page may pass.
  return origin === undefined || origin.toLowerCase() === `http://${host.toLowerCase()}` ? null : FROM_A_PAGE;
}

/** Compares hashes, so that timing reveals neither the length nor the first difference. */
export function isSame(candidate: string, token: string): boolean {
  const [a, b] = [candidate, token].map((text) => createHash('sha256').update(text).digest());
  return a !== undefined && b !== undefined && timingSafeEqual(a, b);
}

export type Address = { host: string; port: number };

/** Resolves with the port when the server listens; port 0 chooses a free one. */
export const listenAt = (server: Server, { host, port }: Address): Promise<number> =>
  new Promise((listening, failed) => {
    server.once('error', ({ code }: NodeJS.ErrnoException) =>
      failed(
        new Refusal(
          `Cannot listen on ${host} port ${port} (${code}); choose another ${code === 'EADDRINUSE' || code === 'EACCES' ? 'port' : 'address'}.`,
        ),
      ),
    );
    server.listen(port, host, () => listening(listeningPort(server)));
  });

export const listeningPort = (server: Server): number => (server.address() as AddressInfo).port;
