import { sql } from 'kysely';
import type { Priority, Status } from '../../domain/tasks/task.ts';
import type { Reader } from '../database.ts';
import { jsonList } from '../dialect.ts';
import { fromJson } from '../json.ts';
import { matches, type TaskFilter } from './tasks.ts';

/** The columns of a task list, each in the order of ids. */
export type TaskColumns = {
  id: readonly number[];
  title: readonly string[];
  status: readonly Status[];
  priority: readonly Priority[];
  feature: readonly (string | null)[];
  discipline: readonly (string | null)[];
  open_blockers: readonly number[];
  not_before: readonly (number | null)[];
};

const COLUMNS = [
  'id',
  'title',
  'status',
  'priority',
  'feature',
  'discipline',
  'open_blockers',
  'not_before',
] as const satisfies readonly (keyof TaskColumns)[];

// One JSON text a column: fetching 10,000 single rows from the native module takes three times as long.
// Plain SQL: each start runs this query once, and building it with Kysely costs as much as running it.
export async function listTaskColumns(db: Reader, filter: TaskFilter = {}): Promise<TaskColumns> {
  const { rows } = await sql<Record<keyof TaskColumns, string>>`
    select ${sql.join(COLUMNS.map((column) => sql`${jsonList(db, sql.raw(column))} as ${sql.raw(column)}`))}
    from (select * from tasks where ${matches(filter)} order by id) as found`.execute(db);
  const [row] = rows;
  return Object.fromEntries(
    COLUMNS.map((column) => [column, fromJson(row?.[column] ?? '[]')]),
  ) as TaskColumns;
}
