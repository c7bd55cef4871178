import type { SelectQueryBuilder } from 'kysely';
import { compareReady } from '../../domain/tasks/dag.ts';
import type { Database, Reader, Writer } from '../database.ts';
import { fromJson } from '../json.ts';
import { findDependencies } from './task-dependencies.ts';
import { fromRow, type StoredTask } from './tasks.ts';

/** Its caller alone gets the next ready task, with a token that no earlier claim had. */
export async function claimNext(
  db: Writer,
  now: number,
  /** `task_id`: only this task, and only if it is ready. `except`: none of these. */
  { task_id = null, except = [] }: { task_id?: number | null; except?: readonly number[] } = {},
): Promise<StoredTask | null> {
  await forgetPassedTimes(db, now);
  const first = firstWithoutTime(db);
  const others = except.length === 0 ? first : first.where('id', 'not in', except);
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

/** The first that can be claimed, in the order of claims. */
export async function firstReady(
  db: Writer,
  now: number,
  except: readonly number[],
  limit: number,
): Promise<Pick<StoredTask, 'id' | 'feature' | 'output_artifacts'>[]> {
  await forgetPassedTimes(db, now);
  const ready = withoutTime(db).limit(limit);
  const rows = await (except.length === 0 ? ready : ready.where('id', 'not in', except))
    .select(['id', 'feature', 'output_artifacts'])
    .execute();
  return rows.map(({ output_artifacts, ...row }) => ({
    ...row,
    output_artifacts: fromJson(output_artifacts),
  }));
}

/** What decides the agent of each task that can be claimed, in the order of claims. */
export const readyTasks = (
  db: Reader,
  now: number,
  { offset, limit }: { offset: number; limit: number },
): Promise<Pick<StoredTask, 'id' | 'discipline' | 'agent' | 'model' | 'attempts' | 'stuck_count'>[]> =>
  inOrder(readyButForTime(db))
    .where(({ eb, or }) => or([eb('not_before', 'is', null), eb('not_before', '<=', now)]))
    .select(['id', 'discipline', 'agent', 'model', 'attempts', 'stuck_count'])
    .limit(limit)
    .offset(offset)
    .execute();

/** A time that has passed says nothing any more. Without it, the order of claims is the order of the index. */
async function forgetPassedTimes(db: Writer, now: number): Promise<void> {
  await db
    .updateTable('tasks')
    .set({ not_before: null })
    .where('status', '=', 'pending')
    .where('open_blockers', '=', 0)
    .where('not_before', '<=', now)
    .execute();
}

export async function peekNext(
  db: Reader,
  now: number,
  except: readonly number[] = [],
): Promise<StoredTask | null> {
  const others = (tasks: Tasks): Tasks => (except.length === 0 ? tasks : tasks.where('id', 'not in', except));
  const free = await others(firstWithoutTime(db)).selectAll().executeTakeFirst();
  const due = await inOrder(others(readyButForTime(db)).where('not_before', '<=', now))
    .limit(1)
    .selectAll()
    .executeTakeFirst();
  const [row] = [free, due].filter((one) => one !== undefined).sort(compareReady);
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

const firstWithoutTime = (db: Reader): Tasks => withoutTime(db).limit(1);

const withoutTime = (db: Reader): Tasks => inOrder(readyButForTime(db).where('not_before', 'is', null));

const inOrder = (tasks: Tasks): Tasks => tasks.orderBy('priority_rank').orderBy('feature_rank').orderBy('id');

/** The index `tasks_ready` starts with these two columns and the time, and continues in the order of claims. */
const readyButForTime = (db: Reader): Tasks =>
  db.selectFrom('tasks').where('status', '=', 'pending').where('open_blockers', '=', 0);
