import { CompiledQuery, type RawBuilder } from 'kysely';
import type { Reader } from './database.ts';

/** For a statement that is run all the time: building its text costs as much as running it. Each parameter stands in it once, in order. */
export function builtOnce<Row>(
  build: (parameters: readonly unknown[]) => RawBuilder<Row>,
): (db: Reader, parameters: readonly unknown[]) => Promise<Row[]> {
  let text: string | null = null;
  return async (db, parameters) => {
    text ??= build(parameters).compile(db).sql;
    return (await db.executeQuery<Row>(CompiledQuery.raw(text, [...parameters]))).rows;
  };
}
