// The service file of PostgreSQL: named sections with settings, in which people keep what an address need not say.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Refusal } from '../../domain/refusal.ts';
import { type PostgresAddress, parseAddress, serviceName } from './address.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/** The address with the settings of the section that it names, and with the password that the person keeps for it elsewhere. */
export function resolveAddress(text: string, env: Variables): PostgresAddress {
  const name = serviceName(text);
  const address = parseAddress(text, name === null ? {} : readService(name, env));
  if (address.password !== null) return address;
  return { ...address, password: env['PGPASSWORD'] || findPassword(address, env) };
}

function readService(name: string, env: Variables): Record<string, string> {
  const path = env['PGSERVICEFILE'] || join(env['HOME'] ?? '', '.pg_service.conf');
  let content: string;
  try {
    content = readFileSync(path, 'utf8');
  } catch (error) {
    throw new Refusal(
      `The address of the database names the service ${name}, but ${path} cannot be read; set PGSERVICEFILE.`,
      { cause: error },
    );
  }
  const settings = parseServices(content).get(name);
  if (settings === undefined)
    throw new Refusal(`There is no service [${name}] in ${path}; add it, or name another in the address.`);
  return settings;
}

export function parseServices(content: string): Map<string, Record<string, string>> {
  const services = new Map<string, Record<string, string>>();
  let current: Record<string, string> = {};
  for (const line of content.split(/\r?\n/).map((one) => one.trim())) {
    const section = /^\[(.+)\]$/.exec(line)?.[1];
    const [, key, value] = /^([a-z_]+)\s*=\s*(.*)$/.exec(line) ?? [];
    if (section !== undefined) {
      current = {};
      services.set(section, current);
    } else if (key !== undefined && value !== undefined) current[key] = value;
  }
  return services;
}

// The password file of PostgreSQL: lines of host:port:database:user:password, where a star stands for anything.

const OTHERS = 0o077;

/** Null if no line is about this address. */
function findPassword(
  address: PostgresAddress,
  env: Readonly<Record<string, string | undefined>>,
): string | null {
  const path = env['PGPASSFILE'] || join(env['HOME'] ?? '', '.pgpass');
  let content: string;
  try {
    content = readFileSync(path, 'utf8');
  } catch {
    return null;
  }
  if (process.platform !== 'win32' && (statSync(path).mode & OTHERS) !== 0)
    throw new Refusal(`Other users may read the password file ${path}; close it with: chmod 0600 ${path}`);
  return matchLine(content, address);
}

export function matchLine(
  content: string,
  { host, port, database, user }: Pick<PostgresAddress, 'host' | 'port' | 'database' | 'user'>,
): string | null {
  const own = [host, String(port), database, user];
  for (const line of content.split(/\r?\n/)) {
    if (line.startsWith('#')) continue;
    const fields = [...line.matchAll(/((?:\\.|[^:\\])*)(?::|$)/g)].map(([, field = '']) =>
      field.replace(/\\(.)/g, '$1'),
    );
    const isMatch = own.every((value, index) => fields[index] === '*' || fields[index] === value);
    if (isMatch && fields[4]) return fields[4];
  }
  return null;
}
