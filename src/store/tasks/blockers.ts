// The counter `open_blockers` makes "ready" an index look-up: open dependencies, and one more for a feature on hold. A dependency
// is not open for tasks of the same feature if it waits on that feature's branch for a merge: they start from there. Only these
// statements change the counter for tasks that exist.
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { ON_HOLD } from '../../domain/tasks/feature.ts';
import type { Reader, Writer } from '../database.ts';

/** Blocked dependents that have no open blocker left. */
export const unblockedDependents = (db: Reader, id: number): Promise<number[]> =>
  findUnblocked(db, sql`id in ${dependentRows(db, id)}`);

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

const dependentRows = (db: Reader, id: number) =>
  db.selectFrom('task_dependencies').select('task_id').where('depends_on', '=', id);

const OPEN_BLOCKERS = sql<number>`(
  select count(*) from task_dependencies
  join tasks as dependency on dependency.id = task_dependencies.depends_on
  where task_dependencies.task_id = tasks.id and dependency.status not in ('done', 'skipped')
    and not exists (
      select 1 from pull_request_parts as part join pull_requests as pull on pull.id = part.pull_id
      where part.task_id = dependency.id and part.waits = 1
        and pull.state = 'open' and pull.feature = tasks.feature))
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

/** Of all tasks, of one, of those of a feature, or of those that depend on a task. */
export async function recountBlockers(
  db: Writer,
  { id, feature, dependency }: { id?: number; feature?: string; dependency?: number } = {},
): Promise<void> {
  const all = db.updateTable('tasks').set({ open_blockers: OPEN_BLOCKERS });
  const one = id === undefined ? all : all.where('id', '=', id);
  const some = feature === undefined ? one : one.where('feature', '=', feature);
  const dependents = dependency === undefined ? some : some.where('id', 'in', dependentRows(db, dependency));
  await dependents.where('open_blockers', '<>', OPEN_BLOCKERS).execute();
}
