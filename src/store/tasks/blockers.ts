// The counter `open_blockers` makes "ready" an index look-up: open dependencies, and one more for a feature on hold. Only these
// statements change it for tasks that exist.
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { ON_HOLD } from '../../domain/tasks/feature.ts';
import type { Reader, Writer } from '../database.ts';

export async function shiftDependents(db: Writer, id: number, by: 1 | -1): Promise<void> {
  await db
    .updateTable('tasks')
    .set(({ eb }) => ({ open_blockers: eb('open_blockers', '+', by) }))
    .where('id', 'in', dependentsOf(db, id))
    .execute();
}

/** Blocked dependents that have no open blocker left. */
export const unblockedDependents = (db: Reader, id: number): Promise<number[]> =>
  findUnblocked(db, sql`id in ${dependentsOf(db, id)}`);

/** Blocked tasks of the feature that have no open blocker left. */
export const unblockedInFeature = (db: Reader, feature: string): Promise<number[]> =>
  findUnblocked(db, sql`feature = ${feature}`);

async function findUnblocked(db: Reader, condition: RawBuilder<SqlBool>): Promise<number[]> {
  const rows = await db
    .selectFrom('tasks')
    .select('id')
    .where(condition)
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
  where task_dependencies.task_id = tasks.id and dependency.status not in ('done', 'skipped'))
  + (select count(*) from features where features.name = tasks.feature and features.status in (${sql.join(ON_HOLD)}))`;

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

/** Of all tasks, of one, or of those of a feature. */
export async function recountBlockers(
  db: Writer,
  { id, feature }: { id?: number; feature?: string } = {},
): Promise<void> {
  const all = db.updateTable('tasks').set({ open_blockers: OPEN_BLOCKERS });
  const one = id === undefined ? all : all.where('id', '=', id);
  const some = feature === undefined ? one : one.where('feature', '=', feature);
  await some.where('open_blockers', '<>', OPEN_BLOCKERS).execute();
}
