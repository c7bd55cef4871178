// The database's own clock. Machines that share a database have clocks that differ; only this one tells whose lease is over.
import { type RawBuilder, sql } from 'kysely';
import type { Reader } from './database.ts';

/** Milliseconds since 1970, read when the statement runs. */
export const databaseClock = (_: Reader): RawBuilder<number> =>
  sql<number>`cast(unixepoch('subsec') * 1000 as integer)`;
