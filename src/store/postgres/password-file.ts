// The password file of PostgreSQL: lines of host:port:database:user:password, where a star stands for anything.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Refusal } from '../../domain/refusal.ts';
import type { PostgresAddress } from './address.ts';

const OTHERS = 0o077;

/** Null if no line is about this address. */
export function findPassword(
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
