// A database file that was removed while in use gets a successor at the same path. Both store the same token: in the old one it
// means "accepts no more writes", in the new one "holds all content of the old one".

import { Refusal } from '../domain/refusal.ts';
import type { Sqlite } from './sqlite.ts';

const MOVED_TO = 'moved to';
const RESTORED_FROM = 'restored from';

/** The token of the successor database; null while this database is current. */
export const movedTo = (sqlite: Sqlite): string | null => createMovedReader(sqlite)();

/** Prepared once, for a connection that asks before every write. */
export const createMovedReader = (sqlite: Sqlite): (() => string | null) =>
  createMetadataReader(sqlite, MOVED_TO);

export const createMetadataReader = (sqlite: Sqlite, key: string): (() => string | null) => {
  const statement = sqlite.prepare(READ).pluck();
  return () => textOrNull(statement.get(key));
};

export const markMoved = (sqlite: Sqlite, token: string): void => writeText(sqlite, MOVED_TO, token);

export const clearMoved = (sqlite: Sqlite): void => void sqlite.prepare(REMOVE).run(MOVED_TO);

/** The tokens of all databases whose content this one holds. */
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
  textOrNull(sqlite.prepare(READ).pluck().get(key));

const textOrNull = (value: unknown): string | null => (value === undefined ? null : String(value));

const writeText = (sqlite: Sqlite, key: string, value: string): void =>
  void sqlite.prepare(WRITE).run(key, value);

// The mark of a queue that was moved to another database; see move.ts.

/** In `metadata`; its value is the other place, without a password. */
export const MOVED_KEY = 'moved to database';
/** The same in both places while a move is not finished. */
export const TOKEN_KEY = 'move token';

export function requireNotMoved(place: string | null): void {
  if (place === null) return;
  throw new Refusal(
    `The queue of this project moved to ${place}, and this copy accepts no more changes; go there with: ralph database use ${place}`,
  );
}
