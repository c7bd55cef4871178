import { type SelectQueryBuilder, sql } from 'kysely';
import { compareReady } from '../../domain/tasks/dag.ts';
import type { Database, Reader, Writer } from '../database.ts';
import { fromJson } from '../rows.ts';
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
  const others = without(first, except);
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
  const rows = await without(ready, except).select(['id', 'feature', 'output_artifacts']).execute();
  return rows.map(({ output_artifacts, ...row }) => ({
    ...row,
    output_artifacts: fromJson(output_artifacts),
  }));
}

export type ReadyTask = Pick<
  StoredTask,
  'id' | 'discipline' | 'agent' | 'model' | 'attempts' | 'stuck_count'
> & {
  /** The model that its last session asked for. */
  requested: string | null;
};

/** What decides the agent of each task that can be claimed, in the order of claims. `limit`: null for all. */
export const readyTasks = (
  db: Reader,
  now: number,
  { after, limit }: { after: number; limit: number | null },
): Promise<ReadyTask[]> => {
  const all = inOrder(readyButForTime(db))
    .where(({ eb, or }) => or([eb('not_before', 'is', null), eb('not_before', '<=', now)]))
    .select(['id', 'discipline', 'agent', 'model', 'attempts', 'stuck_count'])
    .select(({ selectFrom }) =>
      selectFrom('sessions')
        .select('next_model')
        .whereRef('task_id', '=', 'tasks.id')
        .where('ended', 'is not', null)
        .orderBy('token', 'desc')
        .limit(1)
        .as('requested'),
    );
  // SQLite takes no offset without a limit.
  return all
    .limit(limit ?? Number.MAX_SAFE_INTEGER)
    .offset(after)
    .execute();
};

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
  const others = (tasks: Tasks): Tasks => without(tasks, except);
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

/** As one value: a parked agent may have more tasks than a statement takes values. */
const without = (tasks: Tasks, except: readonly number[]): Tasks =>
  except.length === 0
    ? tasks
    : tasks.where(
        sql<boolean>`id not in (select cast(value as bigint) from json_each(cast(${JSON.stringify(except)} as text)) as one)`,
      );

const firstWithoutTime = (db: Reader): Tasks => withoutTime(db).limit(1);

const withoutTime = (db: Reader): Tasks => inOrder(readyButForTime(db).where('not_before', 'is', null));

const inOrder = (tasks: Tasks): Tasks => tasks.orderBy('priority_rank').orderBy('feature_rank').orderBy('id');

/** The index `tasks_ready` starts with these two columns and the time, and continues in the order of claims. */
const readyButForTime = (db: Reader): Tasks =>
  db.selectFrom('tasks').where('status', '=', 'pending').where('open_blockers', '=', 0);

export type LackingTask = { id: number; lacks: string[] };

/** Tasks that are ready, but not for a run with these labels alone. The index `tasks_needs` finds them. */
export async function tasksLacking(db: Reader, labels: readonly string[]): Promise<LackingTask[]> {
  const rows = await db
    .selectFrom('tasks')
    .select(['id', 'needs', 'status', 'open_blockers'])
    // Written out, and nothing else asked: otherwise SQLite looks at every ready task instead of at this index.
    .where(sql<boolean>`needs <> '[]'`)
    .orderBy('id')
    .execute();
  const ready = rows.filter(({ status, open_blockers }) => status === 'pending' && open_blockers === 0);
  return ready.flatMap(({ id, needs }) => {
    const lacks = fromJson<string[]>(needs).filter((label) => !labels.includes(label));
    return lacks.length === 0 ? [] : [{ id, lacks }];
  });
}

export const idsLacking = async (db: Reader, labels: readonly string[]): Promise<number[]> =>
  (await tasksLacking(db, labels)).map(({ id }) => id);
