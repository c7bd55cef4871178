import type { SelectQueryBuilder } from 'kysely';
import type { Database, Reader, Writer } from '../database.ts';
import { findDependencies } from './task-dependencies.ts';
import { fromRow, type StoredTask } from './tasks.ts';

/** One statement: its caller alone gets the next ready task, with a token that no earlier claim had. */
export async function claimNext(
  db: Writer,
  now: number,
  /** `task_id`: only this task, and only if it is ready. `except`: none of these. */
  { task_id = null, except = [] }: { task_id?: number | null; except?: readonly number[] } = {},
): Promise<StoredTask | null> {
  const others = except.length === 0 ? nextReady(db, now) : nextReady(db, now).where('id', 'not in', except);
  const ready = task_id === null ? others : others.where('id', '=', task_id);
  const row = await db
    .updateTable('tasks')
    .set(({ eb }) => ({ status: 'in_progress', token: eb('token', '+', 1), not_before: null, updated: now }))
    .where('id', '=', ready.select('id'))
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) return null;
  return fromRow(row, (await findDependencies(db, [row.id])).get(row.id) ?? []);
}

export async function peekNext(db: Reader, now: number): Promise<StoredTask | null> {
  const row = await nextReady(db, now).selectAll().executeTakeFirst();
  if (row === undefined) return null;
  return fromRow(row, (await findDependencies(db, [row.id])).get(row.id) ?? []);
}

/** When the first task that waits only for its time can be claimed. */
export async function nextDue(db: Reader, now: number): Promise<number | null> {
  const row = await readyButForTime(db)
    .select(({ fn }) => fn.min('not_before').as('due'))
    .where('not_before', '>', now)
    .executeTakeFirst();
  return row?.due ?? null;
}

/** How many tasks could be claimed now. */
export async function countReady(db: Reader, now: number): Promise<number> {
  const { count } = await readyButForTime(db)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where(({ eb, or }) => or([eb('not_before', 'is', null), eb('not_before', '<=', now)]))
    .executeTakeFirstOrThrow();
  return Number(count);
}

type Tasks = SelectQueryBuilder<Database, 'tasks', object>;

const nextReady = (db: Reader, now: number): Tasks =>
  readyButForTime(db)
    .where(({ eb, or }) => or([eb('not_before', 'is', null), eb('not_before', '<=', now)]))
    .orderBy('priority_rank')
    .orderBy('feature_rank')
    .orderBy('id')
    .limit(1);

/** The index `tasks_ready` starts with these two columns and continues in the order of claims. */
const readyButForTime = (db: Reader): Tasks =>
  db.selectFrom('tasks').where('status', '=', 'pending').where('open_blockers', '=', 0);
