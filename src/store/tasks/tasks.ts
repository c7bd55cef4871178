import { type Insertable, type RawBuilder, type Selectable, type SqlBool, sql } from 'kysely';
import type { StatusWord } from '../../domain/tasks/status.ts';
import type { Status, Task } from '../../domain/tasks/task.ts';
import type { Database, Reader, Writer } from '../database.ts';
import { fromJson, insertRows, toJson } from '../rows.ts';
import { findDependencies } from './task-dependencies.ts';

/** A task with the fields that only the database uses. */
export type StoredTask = Task & { feature_rank: number; defined: readonly string[] | null };

type Row = Selectable<Database['tasks']>;

/** How many ids one query binds: below every database's limit of parameters. */
const IDS_PER_QUERY = 10_000;

export async function findTasks(db: Reader, ids: readonly number[]): Promise<StoredTask[]> {
  const tasks: StoredTask[] = [];
  for (let start = 0; start < ids.length; start += IDS_PER_QUERY) {
    const chunk = ids.slice(start, start + IDS_PER_QUERY);
    tasks.push(
      ...(await withDependencies(
        db,
        await db.selectFrom('tasks').selectAll().where('id', 'in', chunk).orderBy('id').execute(),
      )),
    );
  }
  return tasks;
}

export async function findTask(db: Reader, id: number): Promise<StoredTask | null> {
  const [task] = await findTasks(db, [id]);
  return task ?? null;
}

export async function findTasksByTitle(db: Reader, title: string): Promise<StoredTask[]> {
  return withDependencies(
    db,
    await db
      .selectFrom('tasks')
      .selectAll()
      .where('title', '=', title)
      .where('archived', 'is', null)
      .orderBy('id')
      .execute(),
  );
}

/**
 * `ready`: pending tasks that can, or cannot, be claimed at `at`. `open`: neither done nor skipped. `archived`: only these, or
 * these too; by default none of them.
 */
export type TaskFilter = {
  status?: Status;
  feature?: string;
  discipline?: string;
  /** One of its tags, word for word. */
  tag?: string;
  ready?: { isReady: boolean; at: number };
  open?: boolean;
  archived?: 'only' | 'too';
  id?: number;
  after?: number;
  /** The first digits of the id. */
  starts_with?: string;
  limit?: number;
};

export async function listTasks(db: Reader, filter: TaskFilter = {}): Promise<StoredTask[]> {
  const found = db.selectFrom('tasks').selectAll().where(matches(filter)).orderBy('id');
  const { limit } = filter;
  return withDependencies(db, await (limit === undefined ? found : found.limit(limit)).execute());
}

/** The filter for a status as people name it: pending tasks are `ready` or `waiting` at this time. */
export const filterForWord = (word: StatusWord, at: number): TaskFilter =>
  word === 'ready' || word === 'waiting' ? { ready: { isReady: word === 'ready', at } } : { status: word };

/** The filter as a condition on `tasks`. */
export function matches({
  status,
  feature,
  discipline,
  tag,
  ready,
  open,
  archived,
  id,
  after,
  starts_with = '',
}: TaskFilter): RawBuilder<SqlBool> {
  const conditions = [
    ...(status === undefined ? [] : [sql`status = ${status}`]),
    ...(feature === undefined ? [] : [sql`feature = ${feature}`]),
    ...(discipline === undefined ? [] : [sql`discipline = ${discipline}`]),
    ...(tag === undefined
      ? []
      : [sql`exists (select 1 from json_each(tags) as tag where tag.value = ${tag})`]),
    ...(ready === undefined ? [] : [sql`status = 'pending'`, readiness(ready)]),
    ...(archived === 'too' ? [] : [archived === 'only' ? sql`archived is not null` : sql`archived is null`]),
    ...(open === true ? [sql`status not in ('done', 'skipped')`] : []),
    ...(id === undefined ? [] : [sql`id = ${id}`]),
    ...(after === undefined ? [] : [sql`id > ${after}`]),
    ...(starts_with === '' ? [] : [sql`cast(id as text) like ${`${starts_with.replace(/\D/g, '')}%`}`]),
  ];
  return conditions.length === 0 ? sql`1 = 1` : sql`${sql.join(conditions, sql` and `)}`;
}

const readiness = ({ isReady, at }: { isReady: boolean; at: number }): RawBuilder<SqlBool> => {
  const condition = sql<SqlBool>`(open_blockers = 0 and (not_before is null or not_before <= ${at}))`;
  return isReady ? condition : sql`not ${condition}`;
};

export async function countByStatus(db: Reader): Promise<Partial<Record<Status, number>>> {
  const counts = db
    .selectFrom('tasks')
    .select(({ fn }) => ['status', fn.countAll<number>().as('count')])
    .groupBy('status');
  // Counted apart: so both counts need an index only, and no row.
  const archived = await counts.where('archived', 'is not', null).execute();
  const left = (status: Status, count: number): number =>
    count - Number(archived.find((one) => one.status === status)?.count ?? 0);
  return Object.fromEntries(
    (await counts.execute()).map(({ status, count }) => [status, left(status, Number(count))]),
  );
}

export type Progress = { done: number; open: number };

/** By feature; null for tasks without one. Skipped tasks count as neither done nor open. */
export async function progressByFeature(db: Reader): Promise<Map<string | null, Progress>> {
  const rows = await db
    .selectFrom('tasks')
    .select(({ fn }) => [
      'feature',
      fn.countAll<number>().filterWhere('status', '=', 'done').as('done'),
      fn.countAll<number>().filterWhere('status', 'not in', ['done', 'skipped']).as('open'),
    ])
    .where('archived', 'is', null)
    .groupBy('feature')
    .execute();
  return new Map(
    rows.map(({ feature, done, open }) => [feature, { done: Number(done), open: Number(open) }]),
  );
}

/** No removed task's number comes back: its events would belong to the new task. The condition is that of the index `events_task`. */
export async function nextTaskId(db: Writer): Promise<number> {
  const { rows } = await sql<{ last: number | null }>`
    select max(id) as last from tasks union all
    select max(task_id) from events where kind not in ('task.added', 'signal.recorded')`.execute(db);
  return Math.max(...rows.map(({ last }) => last ?? 0)) + 1;
}

/** Does not insert the dependencies: they are rows of another table. */
export const insertTasks = (db: Writer, tasks: readonly StoredTask[]): Promise<void> =>
  insertRows(db, 'tasks', tasks.map(toRow));

export type TaskPatch = Partial<Omit<StoredTask, 'id' | 'created' | 'depends_on'>>;

export async function updateTask(db: Writer, id: number, patch: TaskPatch): Promise<void> {
  if (Object.keys(patch).length === 0) return;
  await db.updateTable('tasks').set(patchToRow(patch)).where('id', '=', id).execute();
}

const LISTS = ['acceptance_criteria', 'context_files', 'output_artifacts', 'tags', 'needs'] as const;

function toRow({ depends_on: _, ...task }: StoredTask): Insertable<Database['tasks']> {
  return {
    ...task,
    acceptance_criteria: toJson(task.acceptance_criteria),
    context_files: toJson(task.context_files),
    output_artifacts: toJson(task.output_artifacts),
    tags: toJson(task.tags),
    needs: toJson(task.needs),
    defined: task.defined === null ? null : toJson(task.defined),
  };
}

function patchToRow(patch: TaskPatch): Record<string, unknown> {
  const row: Record<string, unknown> = { ...patch };
  for (const column of LISTS) if (patch[column] !== undefined) row[column] = toJson(patch[column]);
  if (patch.defined !== undefined) row['defined'] = patch.defined === null ? null : toJson(patch.defined);
  return row;
}

async function withDependencies(db: Reader, rows: readonly Row[]): Promise<StoredTask[]> {
  const dependencies = await findDependencies(
    db,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => fromRow(row, dependencies.get(row.id) ?? []));
}

export function fromRow({ priority_rank: _, ...row }: Row, depends_on: readonly number[]): StoredTask {
  return {
    ...row,
    depends_on,
    acceptance_criteria: fromJson(row.acceptance_criteria),
    context_files: fromJson(row.context_files),
    output_artifacts: fromJson(row.output_artifacts),
    tags: fromJson(row.tags),
    needs: fromJson(row.needs),
    defined: row.defined === null ? null : fromJson(row.defined),
  };
}

export async function findStatuses(db: Reader, ids: readonly number[]): Promise<Map<number, Status>> {
  const statuses = new Map<number, Status>();
  for (let start = 0; start < ids.length; start += IDS_PER_QUERY) {
    const chunk = ids.slice(start, start + IDS_PER_QUERY);
    const rows = await db.selectFrom('tasks').select(['id', 'status']).where('id', 'in', chunk).execute();
    for (const { id, status } of rows) statuses.set(id, status);
  }
  return statuses;
}

/** The tasks that a definition file owns. */
export async function definedTasks(db: Reader): Promise<number[]> {
  return (
    await db.selectFrom('tasks').select('id').where('defined', 'is not', null).orderBy('id').execute()
  ).map(({ id }) => id);
}

/** What open tasks say of their agents, each once. */
export const findAgentNames = (db: Reader): Promise<Pick<Task, 'agent' | 'model'>[]> =>
  db
    .selectFrom('tasks')
    .select(['agent', 'model'])
    .distinct()
    .where('status', 'not in', ['done', 'skipped'])
    .where(({ or, eb }) => or([eb('agent', 'is not', null), eb('model', 'is not', null)]))
    .execute();
