// Whether several machines may use the database: then a host's name, its clock and its files prove nothing about the others.
import { PostgresAdapter } from 'kysely';
import type { Reader } from './database.ts';

export const isShared = (db: Reader): boolean => db.getExecutor().adapter instanceof PostgresAdapter;
