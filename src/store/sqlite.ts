// Everything specific to SQLite: opening, pragmas, begin immediate, busy, error codes. Another database would replace this file.
import { SqliteDialect, type SqliteStatement } from 'kysely';
import type { Channel } from '../domain/event.ts';
import { Unusable } from '../domain/refusal.ts';
import type { Mask } from '../domain/secrets/mask-secrets.ts';
import { addonRepair, openBetterSqlite, type Sqlite, type Statement } from './better-sqlite.ts';
import { maskParameters } from './mask-parameters.ts';

export type { Sqlite } from './better-sqlite.ts';

// Short, because it blocks the event loop; `retryBusy` waits longer without blocking.
const BUSY_TIMEOUT_MS = 20;
const GIVE_UP_AFTER_MS = 15_000;
const CACHE_TIMEOUT_MS = 2_000;
/** "RALP": distinguishes Ralph's databases from others. */
const APPLICATION_ID = 0x52_41_4c_50;

/** Opens an existing file and never creates one: another process may be about to create it. */
export const openPlain = (path: string): Sqlite => {
  const sqlite = openBetterSqlite(path, { timeout: BUSY_TIMEOUT_MS, fileMustExist: true });
  sqlite.pragma('synchronous = full');
  return sqlite;
};

/** `via`: gives the result of `opened_via()` on this connection. Another database would use a session setting. */
export function openSqlite(path: string, via: () => Channel | null): Promise<Sqlite> {
  return retryBusy(async () => {
    const sqlite = openPlain(path);
    try {
      sqlite.pragma('journal_mode = wal');
      // Each connection after the first would default to NORMAL, which loses acknowledged commits on power loss.
      sqlite.pragma('synchronous = full');
      // Masked or removed text must leave no copy in the pages of the file.
      sqlite.pragma('secure_delete = on');
      sqlite.pragma('foreign_keys = on');
      sqlite.function('opened_via', via);
      sqlite.function('contains_text', { deterministic: true }, containsText);
      return sqlite;
    } catch (error) {
      sqlite.close();
      throw error;
    }
  });
}

/** Ignores case also beyond ASCII, which `like` does not, and has no wildcards. */
const containsText = (text: unknown, part: unknown): 0 | 1 =>
  String(text ?? '')
    .toLowerCase()
    .includes(String(part).toLowerCase())
    ? 1
    : 0;

/** For content that can be rebuilt: does not wait for the disk. Throws if the file has another version or is no database. */
export async function openCache(path: string, schema: string, version: number): Promise<Sqlite> {
  const sqlite = openBetterSqlite(path, { timeout: CACHE_TIMEOUT_MS });
  try {
    sqlite.pragma('journal_mode = wal');
    sqlite.pragma('synchronous = off');
    const found = readVersion(sqlite);
    if (found !== 0 && found !== version) throw new Error(`the cache has version ${found}`);
    if (found === 0) sqlite.exec(schema);
    return sqlite;
  } catch (error) {
    sqlite.close();
    throw error;
  }
}

/** Kysely's dialect with cached prepared statements and masked parameters. */
export class RalphSqliteDialect extends SqliteDialect {
  constructor(sqlite: Sqlite, mask: Mask) {
    const prepare = cachedPrepare(sqlite);
    super({
      database: { close: () => sqlite.close(), prepare: (sql) => maskedStatement(prepare(sql), sql, mask) },
    });
  }
}

function maskedStatement(statement: Statement, sql: string, mask: Mask): SqliteStatement {
  const masked = (parameters: readonly unknown[]) => maskParameters(sql, parameters, mask);
  return {
    reader: statement.reader,
    all: (parameters) => statement.all(masked(parameters)),
    run: (parameters) => statement.run(masked(parameters)),
    iterate: (parameters) => statement.iterate(masked(parameters)),
  };
}

export type Transact = <T>(kind: 'read' | 'write', work: () => Promise<T>) => Promise<T>;

/**
 * Runs one transaction after another on this connection. A write begins immediate: a deferred one can fail when it turns from
 * reading to writing. Kysely's own transactions are not used: their overhead costs as much as storing a row.
 */
export function createTransact(sqlite: Sqlite): Transact {
  const begin = { read: sqlite.prepare('begin'), write: sqlite.prepare('begin immediate') };
  const [commit, rollback] = [sqlite.prepare('commit'), sqlite.prepare('rollback')];
  let last: Promise<unknown> = Promise.resolve();
  return (kind, work) => {
    const result = last.then(async () => {
      // Only the beginning is retried: once the transaction holds the write lock, nothing after it can be busy.
      await retryBusy(async () => void begin[kind].run());
      try {
        const value = await work();
        commit.run();
        return value;
      } catch (error) {
        // On a full disk SQLite rolls back by itself; a second rollback would hide the first error.
        if (sqlite.inTransaction) rollback.run();
        throw error;
      }
    });
    last = result.catch(() => {});
    return result;
  };
}

const CACHED_STATEMENTS = 500;

function cachedPrepare(sqlite: Sqlite): (sql: string) => Statement {
  const statements = new Map<string, Statement>();
  return (sql) => {
    let statement = statements.get(sql);
    if (statement === undefined) {
      if (statements.size >= CACHED_STATEMENTS) statements.clear();
      statement = sqlite.prepare(sql);
      statements.set(sql, statement);
    }
    return statement;
  };
}

export async function retryBusy<T>(work: () => Promise<T>, random: () => number = Math.random): Promise<T> {
  const deadline = performance.now() + GIVE_UP_AFTER_MS;
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error;
      // Jitter keeps processes that wait for each other from waking up together.
      await sleep(random() * Math.min(2 ** attempt, 30));
    }
  }
}

const sleep = (milliseconds: number): Promise<void> => new Promise((wake) => setTimeout(wake, milliseconds));

const code = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : '';

/** The file exists, but is no readable database. */
export const isNoDatabase = (error: unknown): boolean => /^SQLITE_(NOTADB|CORRUPT)/.test(code(error));

const isBusy = (error: unknown): boolean => /^SQLITE_(BUSY|LOCKED)/.test(code(error));

const REPAIRS: readonly [RegExp, (path: string) => string][] = [
  [/^SQLITE_(BUSY|LOCKED)/, (path) => `Other processes keep the database ${path} locked; try again.`],
  [/^SQLITE_READONLY/, (path) => `The database ${path} is read-only; make the file and its folder writable.`],
  [/^SQLITE_FULL/, (path) => `The disk that holds ${path} is full; free some space and try again.`],
  [/^SQLITE_NOTADB/, (path) => `${path} is not a database; move it away, or put a backup in its place.`],
  [/^SQLITE_CORRUPT/, (path) => `The database ${path} is damaged; put a backup in its place.`],
  [
    /^SQLITE_(CANTOPEN|PERM|AUTH)/,
    (path) => `The database ${path} cannot be opened; check that the folder is writable.`,
  ],
  [
    /^SQLITE_IOERR/,
    (path) => `The disk that holds ${path} reports an error; check it and its free space, then try again.`,
  ],
  // The addon is missing, or built for another Node.
  [/^(ERR_DLOPEN_FAILED|MODULE_NOT_FOUND)$/, addonRepair],
];

/** Turns a known SQLite error into a sentence with its repair; returns any other error unchanged. */
export function explainSqlite(error: unknown, path: string): unknown {
  const repair = REPAIRS.find(([pattern]) => pattern.test(code(error)));
  return repair === undefined ? error : new Unusable(repair[1](path), { cause: error });
}

export const readVersion = (sqlite: Sqlite): number =>
  Number(sqlite.pragma('user_version', { simple: true }));

export const writeVersion = (sqlite: Sqlite, version: number): void => {
  sqlite.pragma(`application_id = ${APPLICATION_ID}`);
  sqlite.pragma(`user_version = ${version}`);
};

export function isForeign(sqlite: Sqlite): boolean {
  const tables = sqlite.prepare('select count(*) from sqlite_schema').pluck().get();
  return tables !== 0 && sqlite.pragma('application_id', { simple: true }) !== APPLICATION_ID;
}

/** Problems that SQLite finds; empty if the file is sound. */
export function integrityProblems(sqlite: Sqlite): string[] {
  const rows = sqlite.prepare('pragma integrity_check').pluck().all().map(String);
  const orphans = sqlite.prepare('pragma foreign_key_check').all().length;
  return [
    ...rows.filter((row) => row !== 'ok'),
    ...(orphans > 0 ? [`${orphans} rows refer to missing rows`] : []),
  ];
}
