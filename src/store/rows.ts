import { CompiledQuery, type InsertObject, isExpression } from 'kysely';
import type { Database, Writer } from './database.ts';
import { StatementTexts } from './dialect.ts';

// The widest table stays below SQLite's limit of 32,766 parameters per statement.
const ROWS_PER_STATEMENT = 500;

/** Building a statement costs as much as running it, so each process builds each text once for a database. */
const texts = new StatementTexts();

/** An SQL expression among the values becomes part of the cached text: it must be the same for equal columns. */
export async function insertRows<Table extends keyof Database>(
  db: Writer,
  table: Table,
  rows: readonly InsertObject<Database, Table>[],
): Promise<void> {
  const columns = Object.keys(rows[0] ?? {});
  for (let start = 0; start < rows.length; start += ROWS_PER_STATEMENT) {
    const chunk = rows.slice(start, start + ROWS_PER_STATEMENT);
    const key = `${table} ${chunk.length} ${columns.join()}`;
    const text = texts.find(db, key);
    if (text === undefined) {
      const compiled = db.insertInto(table).values(chunk).compile();
      texts.keep(db, key, compiled.sql);
      await db.executeQuery(compiled);
    } else {
      await db.executeQuery(CompiledQuery.raw(text, collectParameters(rows[0], chunk)));
    }
  }
}

/** In the order of the first row's keys, which is the order Kysely wrote the columns in. */
function collectParameters(first: object | undefined, rows: readonly object[]): unknown[] {
  const values = Object.entries(first ?? {}).filter(([, value]) => !isExpression(value));
  const columns = values.map(([column]) => column as keyof object);
  const parameters: unknown[] = [];
  for (const row of rows) for (const column of columns) parameters.push(row[column]);
  return parameters;
}

// Lists and objects are stored as text; only this file knows the encoding.

export const toJson = (value: unknown): string => JSON.stringify(value);

/** The caller names the type: `toJson` wrote the column from a value of that type. Most lists of a task are empty. */
export const fromJson = <T>(text: string): T => (text === '[]' ? [] : JSON.parse(text)) as T;
