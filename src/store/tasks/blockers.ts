// The counter `open_blockers` makes "ready" an index look-up. Only these statements change it for dependents.
import { sql } from 'kysely';
import type { Reader, Writer } from '../database.ts';

export async function shiftDependents(db: Writer, id: number, by: 1 | -1): Promise<void> {
  await db
    .updateTable('tasks')
    .set(({ eb }) => ({ open_blockers: eb('open_blockers', '+', by) }))
    .where('id', 'in', dependentsOf(db, id))
    .execute();
}

/** Blocked dependents that have no open blocker left. */
export async function unblockedDependents(db: Reader, id: number): Promise<number[]> {
  const rows = await db
    .selectFrom('tasks')
    .select('id')
    .where('id', 'in', dependentsOf(db, id))
    .where('status', '=', 'blocked')
    .where('open_blockers', '=', 0)
    .where('blocked_by', 'is', null)
    .orderBy('id')
    .execute();
  return rows.map((row) => row.id);
}

const dependentsOf = (db: Reader, id: number) =>
  db.selectFrom('task_dependencies').select('task_id').where('depends_on', '=', id);

const OPEN_BLOCKERS = sql<number>`(
  select count(*) from task_dependencies
  join tasks as dependency on dependency.id = task_dependencies.depends_on
  where task_dependencies.task_id = tasks.id and dependency.status not in ('done', 'skipped'))`;

/** Tasks whose counter is wrong. There are none, unless another program wrote to the database. */
export async function findMiscounted(db: Reader): Promise<number[]> {
  const rows = await db
    .selectFrom('tasks')
    .select('id')
    .where('open_blockers', '<>', OPEN_BLOCKERS)
    .orderBy('id')
    .execute();
  return rows.map(({ id }) => id);
}

export async function recountBlockers(db: Writer): Promise<void> {
  await db
    .updateTable('tasks')
    .set({ open_blockers: OPEN_BLOCKERS })
    .where('open_blockers', '<>', OPEN_BLOCKERS)
    .execute();
}
