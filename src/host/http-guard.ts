// Who may talk to a server on this machine: a program that was given the token, and no web page.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

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

export type Denial = { status: 401 | 403; message: string };

/** Null for a request that may pass. */
export function denialOf(headers: IncomingHttpHeaders, { token, hosts }: Guard): Denial | null {
  const { host = '', origin, authorization = '' } = headers;
  // A name that somebody else's DNS points here is not this server's.
  if (hosts !== null && !hosts.includes(host.toLowerCase()))
    return { status: 403, message: 'This host name is not one of this server.' };
  // Programs send no Origin; pages do, and only a page of this very server would be welcome.
  if (origin !== undefined && !isOwn(origin, hosts, host))
    return { status: 403, message: 'Requests from web pages are not served.' };
  const given = /^Bearer (.+)$/i.exec(authorization)?.[1] ?? '';
  if (!isSame(given, token))
    return { status: 401, message: 'The bearer token that ralph serve printed is needed.' };
  return null;
}

function isOwn(origin: string, hosts: readonly string[] | null, host: string): boolean {
  return (hosts ?? [host]).some((name) => origin.toLowerCase() === `http://${name.toLowerCase()}`);
}

/** Hashed first, so that neither the length nor the place of the first difference can be measured. */
function isSame(given: string, token: string): boolean {
  const [a, b] = [given, token].map((text) => createHash('sha256').update(text).digest());
  return a !== undefined && b !== undefined && timingSafeEqual(a, b);
}
