// The few words that SQLite and PostgreSQL say differently. A query that needs one asks here; nothing above `store/` knows which
// database it is.
import { type RawBuilder, sql } from 'kysely';
import type { Reader } from './database.ts';

type DialectName = 'sqlite' | 'postgres';

/** By the adapter: the bundle is minified, so classes have no names there. */
export const dialectName = (db: Reader): DialectName =>
  'ralphDialect' in db.getExecutor().adapter ? 'postgres' : 'sqlite';

/** Whether several machines may use the database. */
export const isShared = (db: Reader): boolean => dialectName(db) === 'postgres';

export const POSTGRES_CLOCK = 'cast(floor(extract(epoch from clock_timestamp()) * 1000) as bigint)';

/**
 * The time of the database in epoch milliseconds, as an expression within a statement: with PostgreSQL the time of its server, which
 * all machines share; with SQLite that of this machine. A lease must be written and judged with this alone: clocks of machines differ.
 * `store.now()` tells a caller that has no statement what this time is.
 */
export const databaseClock = (db: Reader): RawBuilder<number> =>
  dialectName(db) === 'postgres'
    ? sql<number>`${sql.raw(POSTGRES_CLOCK)}`
    : sql<number>`cast(unixepoch('subsec') * 1000 as integer)`;

/** All values of a group as one JSON list. */
export const jsonList = (db: Reader, value: RawBuilder<unknown>, order?: RawBuilder<unknown>) => {
  const ordered = order === undefined ? value : sql`${value} order by ${order}`;
  return dialectName(db) === 'postgres'
    ? sql<string>`cast(coalesce(json_agg(${ordered}), '[]') as text)`
    : sql<string>`json_group_array(${ordered})`;
};

/** The values as one JSON list, for a row. */
export const jsonTuple = (db: Reader, values: RawBuilder<unknown>): RawBuilder<unknown> =>
  dialectName(db) === 'postgres' ? sql`json_build_array(${values})` : sql`json_array(${values})`;

/**
 * Keeps the text of a statement that is built once and run often: building it costs as much as running it. Both databases may be
 * open in one process (a planning session works on a copy), so each has its own texts.
 */
export class StatementTexts {
  readonly #texts = { sqlite: new Map<string, string>(), postgres: new Map<string, string>() };

  find(db: Reader, key: string): string | undefined {
    return this.#texts[dialectName(db)].get(key);
  }

  keep(db: Reader, key: string, text: string): void {
    this.#texts[dialectName(db)].set(key, text);
  }
}
