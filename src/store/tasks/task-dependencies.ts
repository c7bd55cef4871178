import { sql } from 'kysely';
import type { Edges } from '../../domain/tasks/dag.ts';
import type { Reader, Writer } from '../database.ts';
import { insertRows } from '../rows.ts';

type Edge = { task_id: number; depends_on: number };

/** Beyond this many tasks, one scan of all edges is cheaper than binding every id. */
const MAX_BOUND_IDS = 10_000;

export async function findDependencies(
  db: Reader,
  ids: readonly number[] | 'all',
): Promise<Map<number, number[]>> {
  if (ids.length === 0) return new Map();
  let query = db
    .selectFrom('task_dependencies')
    .select(['task_id', 'depends_on'])
    .orderBy('task_id')
    .orderBy('depends_on');
  if (ids !== 'all' && ids.length < MAX_BOUND_IDS) query = query.where('task_id', 'in', ids);
  return toEdges(await query.execute());
}

/** All edges below this task: its dependencies, theirs, and so on. */
export async function edgesBelow(db: Reader, id: number): Promise<Edges<number>> {
  const { rows } = await sql<Edge>`
    with recursive below (id) as (
      select cast(${id} as bigint)
      union
      select depends_on from task_dependencies join below on task_id = below.id
    )
    select task_id, depends_on from task_dependencies join below on task_id = below.id`.execute(db);
  return toEdges(rows);
}

/** Whether any of these depends on the goal, directly or not: one walk for all of them. */
export async function anyReaches(db: Reader, starts: readonly number[], goal: number): Promise<boolean> {
  const { rows } = await sql<{ found: number }>`
    with recursive below (id) as (
      select cast(value as bigint) from json_each(cast(${JSON.stringify(starts)} as text)) as start
      union
      select depends_on from task_dependencies join below on task_id = below.id
    )
    select 1 as found from below where id = ${goal} limit 1`.execute(db);
  return rows.length > 0;
}

/** The direct dependents, in any status. */
export async function findDependents(db: Reader, id: number): Promise<number[]> {
  const rows = await db
    .selectFrom('task_dependencies')
    .select('task_id')
    .where('depends_on', '=', id)
    .orderBy('task_id')
    .execute();
  return rows.map(({ task_id }) => task_id);
}

/** All open tasks that wait for this one, directly or not. */
export async function findOpenDependents(db: Reader, id: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    with recursive above (id) as (
      select cast(${id} as bigint)
      union
      select tasks.id from above
      join task_dependencies on depends_on = above.id
      join tasks on tasks.id = task_dependencies.task_id and tasks.status not in ('done', 'skipped')
    )
    select id from above where id <> ${id} order by id`.execute(db);
  return rows.map((row) => row.id);
}

export async function allEdges(db: Reader): Promise<Map<number, number[]>> {
  return toEdges(await inOrder(db).execute());
}

export const insertDependencies = (
  db: Writer,
  edges: readonly (Edge & { defined?: 0 | 1 })[],
): Promise<void> => insertRows(db, 'task_dependencies', edges);

export async function deleteDependencies(
  db: Writer,
  id: number,
  depends_on: readonly number[],
): Promise<void> {
  for (let start = 0; start < depends_on.length; start += MAX_BOUND_IDS) {
    const chunk = depends_on.slice(start, start + MAX_BOUND_IDS);
    await db
      .deleteFrom('task_dependencies')
      .where('task_id', '=', id)
      .where('depends_on', 'in', chunk)
      .execute();
  }
}

/** The dependencies that a definition file gave. */
export async function definedEdges(db: Reader): Promise<Map<number, number[]>> {
  return toEdges(await inOrder(db).where('defined', '=', 1).execute());
}

/** Makes the definition file own exactly these dependencies of the task. */
export async function markDefined(db: Writer, id: number, depends_on: readonly number[]): Promise<void> {
  await db
    .updateTable('task_dependencies')
    .set({ defined: 0 })
    .where('task_id', '=', id)
    .where('defined', '=', 1)
    .execute();
  for (let start = 0; start < depends_on.length; start += MAX_BOUND_IDS) {
    const chunk = depends_on.slice(start, start + MAX_BOUND_IDS);
    await db
      .updateTable('task_dependencies')
      .set({ defined: 1 })
      .where('task_id', '=', id)
      .where('depends_on', 'in', chunk)
      .execute();
  }
}

const inOrder = (db: Reader) =>
  db.selectFrom('task_dependencies').selectAll().orderBy('task_id').orderBy('depends_on');

function toEdges(rows: readonly Edge[]): Map<number, number[]> {
  const edges = new Map<number, number[]>();
  for (const { task_id, depends_on } of rows) {
    const list = edges.get(task_id);
    if (list === undefined) edges.set(task_id, [depends_on]);
    else list.push(depends_on);
  }
  return edges;
}
