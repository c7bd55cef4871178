// Task search for the dashboard, with the cost of each task.
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { StatusWord } from '../../domain/tasks/status.ts';
import type { Priority, Status } from '../../domain/tasks/task.ts';
import type { Reader } from '../database.ts';
import { jsonList } from '../dialect.ts';
import { fromJson } from '../rows.ts';
import { filterForWord, matches, type TaskFilter } from './tasks.ts';

export type TaskSearch = {
  /** Any of these; all if empty. */
  statuses?: readonly StatusWord[];
  feature?: string;
  discipline?: string;
  /** One of its tags, word for word. */
  tag?: string;
  /** Part of the title or the description, or the number of a task. */
  text?: string;
};

/** The ids of all matches, oldest first: one query gives the total and the page. */
export async function searchTaskIds(db: Reader, search: TaskSearch, at: number): Promise<number[]> {
  const where = sql.join(conditions(search, at), sql` and `);
  // One JSON text: fetching single rows takes several times as long.
  const { rows } = await sql<{ ids: string }>`
    select ${jsonList(db, sql`id`)} as ids
    from (select id from tasks where ${where} order by id) as found`.execute(db);
  return fromJson(rows[0]?.ids ?? '[]');
}

/** The tags of the tasks in lists, in the order of the alphabet. */
export async function listTags(db: Reader, limit: number): Promise<string[]> {
  const { rows } = await sql<{ tag: string }>`
    select distinct tag.value as tag from tasks, json_each(tasks.tags) as tag
    where tasks.tags <> '[]' and tasks.archived is null order by tag limit ${limit}`.execute(db);
  return rows.map(({ tag }) => tag);
}

/** Matches by status; pending splits into ready and waiting. Ignores the statuses of the search. */
export async function countSearched(
  db: Reader,
  { statuses: _, ...search }: TaskSearch,
  at: number,
): Promise<Map<StatusWord, number>> {
  const { rows } = await sql<{ word: StatusWord; count: number }>`
    select case when ${matches(filterForWord('ready', at))} then 'ready' when status = 'pending' then 'waiting' else status end as word,
      count(*) as count
    from tasks where ${sql.join(conditions(search, at), sql` and `)} group by word`.execute(db);
  return new Map(rows.map(({ word, count }) => [word, Number(count)]));
}

function conditions(
  { statuses = [], feature, discipline, tag, text = '' }: TaskSearch,
  at: number,
): RawBuilder<SqlBool>[] {
  return [
    matches({
      ...(feature !== undefined && { feature }),
      ...(discipline !== undefined && { discipline }),
      ...(tag !== undefined && { tag }),
    }),
    ...(statuses.length === 0 ? [] : [anyOf(statuses.map((word) => matches(filterForWord(word, at))))]),
    ...(text.trim() === '' ? [] : [anyOf(textConditions(text.trim()))]),
  ];
}

function textConditions(text: string): RawBuilder<SqlBool>[] {
  const id = /^#?(\d{1,15})$/.exec(text)?.[1];
  return [
    sql`contains_text(title, ${text})`,
    sql`contains_text(description, ${text})`,
    ...(id === undefined ? [] : [matches({ id: Number(id) })]),
  ];
}

const anyOf = (alternatives: readonly RawBuilder<SqlBool>[]): RawBuilder<SqlBool> =>
  sql`(${sql.join(
    alternatives.map((condition) => sql`(${condition})`),
    sql` or `,
  )})`;

export type TaskCost = { tries: number; cost_usd: number; duration_ms: number };

/** By task, over all its sessions; no entry for a task without sessions. */
export async function taskCosts(
  db: Reader,
  ids: readonly number[],
  at: number,
): Promise<Map<number, TaskCost>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('sessions')
    .select(({ fn }) => [
      'task_id',
      sql<number>`count(case when outcome is null or outcome <> 'interrupted' then 1 end)`.as('tries'),
      fn.sum<number>('cost_usd').as('cost_usd'),
      sql<number>`sum(coalesce(ended, ${at}) - started)`.as('duration_ms'),
    ])
    .where('task_id', 'in', ids)
    .groupBy('task_id')
    .execute();
  return new Map(rows.map(({ task_id, ...cost }) => [task_id, cost]));
}

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
