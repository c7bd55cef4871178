// Where a queue on PostgreSQL is: server, database, schema and login. An address is a secret: only `describe` is shown.
import { Refusal } from '../../domain/refusal.ts';

export type PostgresAddress = {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  /** Null for a server that asks for none. */
  readonly password: string | null;
  /** Each project has a schema of its own, so several share one database. */
  readonly schema: string;
  /** `certificate`: the file of the authority that signed the server's certificate; null for those that Node trusts. */
  readonly tls: { readonly certificate: string | null } | null;
};

export const isAddress = (place: string): boolean => /^postgres(ql)?:\/\//i.test(place);

const DEFAULT_SCHEMA = 'ralph';
const DEFAULT_PORT = 5432;
const KNOWN = ['schema', 'sslmode', 'sslrootcert', 'service', 'host', 'user', 'password', 'port', 'dbname'];
const NO_HOST = 'unnamed.invalid';
const FORM = 'postgres://USER@HOST:PORT/DATABASE?schema=NAME';

/** `service`: the settings of a section of the person's service file; what the address says itself counts more. */
export function parseAddress(text: string, service: Readonly<Record<string, string>> = {}): PostgresAddress {
  const url = parseUrl(text);
  const setting = (name: string): string | null => url.searchParams.get(name) ?? service[name] ?? null;
  const named = url.hostname === NO_HOST ? '' : unbracket(decode(url.hostname));
  const host = named || setting('host') || 'localhost';
  const user = decode(url.username) || setting('user') || '';
  if (user === '') throw new Refusal(`The address of the database names no user; write it as ${FORM}`);
  const database = decode(url.pathname.slice(1)) || setting('dbname') || user;
  return {
    host,
    port: Number(url.port || setting('port') || DEFAULT_PORT),
    database,
    user,
    password: decode(url.password) || setting('password'),
    schema: requireSchema(setting('schema') ?? DEFAULT_SCHEMA),
    tls: requireTls(host, setting('sslmode'), setting('sslrootcert')),
  };
}

/** The name of the section in the service file that the address refers to. */
export const serviceName = (text: string): string | null => parseUrl(text).searchParams.get('service');

export const hasPassword = (text: string): boolean => {
  const url = parseUrl(text);
  return url.password !== '' || url.searchParams.has('password');
};

function parseUrl(text: string): URL {
  let url: URL;
  try {
    // A host may be left to the service file; a URL must have one.
    url = new URL(text.replace(/^(postgres(?:ql)?:\/\/(?:[^@/?]*@)?)(?=[/?]|$)/i, `$1${NO_HOST}`));
  } catch {
    // The text may hold a password, so the sentence does not repeat it.
    throw new Refusal(`The address of the database cannot be read; write it as ${FORM}`);
  }
  const unknown = [...url.searchParams.keys()].find((name) => !KNOWN.includes(name));
  if (unknown !== undefined)
    throw new Refusal(
      `The address of the database has the unknown setting ${unknown}; known are ${KNOWN.slice(0, 4).join(', ')}.`,
    );
  return url;
}

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

const unbracket = (host: string): string => host.replace(/^\[|\]$/g, '');

function requireSchema(name: string): string {
  if (/^[a-z_][a-z0-9_]{0,62}$/.test(name) && !name.startsWith('pg_')) return name;
  throw new Refusal(
    `The schema "${name}" cannot be used; take small letters, digits and _ only, and no name that begins with pg_.`,
  );
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host) || host.startsWith('/');

/** A connection over a network is always encrypted and its certificate checked: the queue must not be read or changed on the way. */
function requireTls(host: string, mode: string | null, certificate: string | null): PostgresAddress['tls'] {
  if (mode === 'verify-full') return { certificate };
  if (isLoopback(host) && (mode === null || mode === 'disable')) return null;
  if (mode === null) return { certificate };
  throw new Refusal(
    `Ralph connects to ${host} with sslmode=verify-full only; write that, or leave sslmode out, and name the authority with sslrootcert=FILE.`,
  );
}

/** For sentences, status and logs: without the password. */
export const describeAddress = ({ user, host, port, database, schema }: PostgresAddress): string =>
  `postgres://${encodeURIComponent(user)}@${host.includes(':') ? `[${host}]` : host}:${port}/${encodeURIComponent(database)}?schema=${schema}`;

/** Everything, for `parseAddress`: a secret. */
export function writeAddress(address: PostgresAddress): string {
  const url = new URL(describeAddress(address));
  if (address.password !== null) url.password = encodeURIComponent(address.password);
  if (address.tls !== null) url.searchParams.set('sslmode', 'verify-full');
  if (address.tls?.certificate) url.searchParams.set('sslrootcert', address.tls.certificate);
  return url.href;
}
