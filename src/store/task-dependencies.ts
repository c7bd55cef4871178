import { sql } from 'kysely';
import type { Edges } from '../domain/dag.ts';
import type { Database, Reader, Writer } from './database.ts';
import { insertRows } from './insert-rows.ts';

type Edge = Database['task_dependencies'];

/** Past this many tasks one scan of all edges is cheaper than binding every id. */
const SCAN_PAST = 10_000;

export async function dependenciesOf(db: Reader, ids: readonly number[]): Promise<Map<number, number[]>> {
  if (ids.length === 0) return new Map();
  let query = db.selectFrom('task_dependencies').selectAll().orderBy('task_id').orderBy('depends_on');
  if (ids.length < SCAN_PAST) query = query.where('task_id', 'in', ids);
  return toEdges(await query.execute());
}

/** Every edge on a way from this task to what it depends on, however far. */
export async function edgesBelow(db: Reader, id: number): Promise<Edges<number>> {
  const { rows } = await sql<Edge>`
    with recursive below (id) as (
      select ${id}
      union
      select depends_on from task_dependencies join below on task_id = below.id
    )
    select task_id, depends_on from task_dependencies join below on task_id = below.id`.execute(db);
  return toEdges(rows);
}

export async function allEdges(db: Reader): Promise<Map<number, number[]>> {
  return toEdges(await db.selectFrom('task_dependencies').selectAll().execute());
}

export const insertDependencies = (db: Writer, edges: readonly Edge[]): Promise<void> =>
  insertRows(db, 'task_dependencies', edges);

export async function deleteDependencies(
  db: Writer,
  id: number,
  depends_on: readonly number[],
): Promise<void> {
  if (depends_on.length === 0) return;
  await db
    .deleteFrom('task_dependencies')
    .where('task_id', '=', id)
    .where('depends_on', 'in', depends_on)
    .execute();
}

function toEdges(rows: readonly Edge[]): Map<number, number[]> {
  const edges = new Map<number, number[]>();
  for (const { task_id, depends_on } of rows) {
    const list = edges.get(task_id);
    if (list === undefined) edges.set(task_id, [depends_on]);
    else list.push(depends_on);
  }
  return edges;
}
