import { sql } from 'kysely';
import type { GraphTask } from '../../domain/graph/picture.ts';
import type { Status } from '../../domain/tasks/task.ts';
import type { Reader } from '../database.ts';
import { jsonList, jsonTuple } from '../dialect.ts';
import { findDependencies } from './task-dependencies.ts';
import { matches } from './tasks.ts';

/** `around`: this task, everything it waits for and everything that waits for it, directly or not. */
export type GraphFilter = { around?: number; feature?: string };

type Row = [
  id: number,
  title: string,
  status: Status,
  feature: string | null,
  discipline: string | null,
  estimated_turns: number | null,
  open_blockers: number,
  not_before: number | null,
];

/** One JSON text: a graph has all tasks, and fetching thousands of single rows takes four times as long. */
const rowsAsJson = (db: Reader) => jsonList(db, jsonTuple(db, COLUMNS), sql`id`);

const COLUMNS = sql`id, title, status, feature, discipline, estimated_turns, open_blockers, not_before`;

export async function graphTasks(db: Reader, { around, feature }: GraphFilter): Promise<GraphTask[]> {
  const found = db
    .selectFrom('tasks')
    .select(rowsAsJson(db).as('text'))
    .where(matches(feature === undefined ? {} : { feature }));
  const { text } = await (around === undefined
    ? found
    : found.where('id', 'in', relatives(around))
  ).executeTakeFirstOrThrow();
  const rows: Row[] = JSON.parse(text);
  const isAll = around === undefined && feature === undefined;
  const dependencies = await findDependencies(db, isAll ? 'all' : rows.map(([id]) => id));
  return rows.map((row) => ({
    id: row[0],
    title: row[1],
    status: row[2],
    feature: row[3],
    discipline: row[4],
    estimated_turns: row[5],
    open_blockers: row[6],
    not_before: row[7],
    depends_on: dependencies.get(row[0]) ?? [],
  }));
}

const relatives = (id: number) => sql<number>`(
  with recursive
    past (id) as (
      select cast(${id} as bigint)
      union
      select depends_on from task_dependencies join past on task_id = past.id
    ),
    future (id) as (
      select cast(${id} as bigint)
      union
      select task_id from task_dependencies join future on depends_on = future.id
    )
  select id from past union select id from future
)`;
