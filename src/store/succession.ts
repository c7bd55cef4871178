// A database that was removed under its connections gets a successor at the same path. Both carry the same token: the old one
// says with it that it takes no more writes, the new one that it holds all of the old.
import type { Sqlite } from './sqlite.ts';

const MOVED_TO = 'moved to';
const RESTORED_FROM = 'restored from';

/** The token of the database that takes this one's place; null while this one counts. */
export const movedTo = (sqlite: Sqlite): string | null => readerOfMoved(sqlite)();

/** For a connection that asks before every write. */
export const readerOfMoved = (sqlite: Sqlite): (() => string | null) => {
  const statement = sqlite.prepare(READ).pluck();
  return () => textOf(statement.get(MOVED_TO));
};

export const markMoved = (sqlite: Sqlite, token: string): void => writeText(sqlite, MOVED_TO, token);

export const clearMoved = (sqlite: Sqlite): void => void sqlite.prepare(REMOVE).run(MOVED_TO);

/** The tokens of all databases that this one holds the content of. */
export function restoredFrom(sqlite: Sqlite): string[] {
  const text = readText(sqlite, RESTORED_FROM);
  const tokens: unknown = text === null ? [] : JSON.parse(text);
  return Array.isArray(tokens) ? tokens.map(String) : [];
}

export function markRestored(sqlite: Sqlite, token: string): void {
  writeText(sqlite, RESTORED_FROM, JSON.stringify([...restoredFrom(sqlite), token]));
  clearMoved(sqlite);
}

const READ = 'select value from metadata where key = ?';
const WRITE =
  'insert into metadata (key, value) values (?, ?) on conflict (key) do update set value = excluded.value';
const REMOVE = 'delete from metadata where key = ?';

const readText = (sqlite: Sqlite, key: string): string | null =>
  textOf(sqlite.prepare(READ).pluck().get(key));

const textOf = (value: unknown): string | null => (value === undefined ? null : String(value));

const writeText = (sqlite: Sqlite, key: string, value: string): void =>
  void sqlite.prepare(WRITE).run(key, value);
