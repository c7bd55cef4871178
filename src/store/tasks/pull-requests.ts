import type { ExpressionBuilder, Selectable, Updateable } from 'kysely';
import type { PullPart, PullRequest, PullSummary } from '../../domain/pull-requests/pull-request.ts';
import type { Database, Reader, Writer } from '../database.ts';
import { fromJson } from '../rows.ts';

type Row = Selectable<Database['pull_requests']>;

const withParts = async (db: Reader, rows: readonly Row[]): Promise<PullRequest[]> => {
  const ids = rows.map(({ id }) => id);
  if (ids.length === 0) return [];
  const parts = await db
    .selectFrom('pull_request_parts')
    .innerJoin('tasks', 'tasks.id', 'pull_request_parts.task_id')
    .selectAll('pull_request_parts')
    .select('tasks.status')
    .where('pull_id', 'in', ids)
    .orderBy('pushed')
    .orderBy('task_id')
    .execute();
  const pullParts = (id: number): PullPart[] =>
    parts
      .filter(({ pull_id }) => pull_id === id)
      .map(({ pull_id: _, pushed: __, waits, diff_stat, ...part }) => ({
        ...part,
        waits: waits === 1,
        diff_stat: diff_stat === null ? null : fromJson(diff_stat),
      }));
  return rows.map((row) => ({ ...row, parts: pullParts(row.id) }));
};

const first = async (db: Reader, row: Row | undefined): Promise<PullRequest | null> =>
  (await withParts(db, row === undefined ? [] : [row]))[0] ?? null;

/** The last one of the task, whatever its state. */
export const pullOfTask = async (db: Reader, task_id: number): Promise<PullRequest | null> =>
  first(
    db,
    await db
      .selectFrom('pull_requests')
      .innerJoin('pull_request_parts', 'pull_id', 'id')
      .selectAll('pull_requests')
      .where('task_id', '=', task_id)
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirst(),
  );

export const findPull = async (db: Reader, id: number): Promise<PullRequest | null> =>
  first(db, await db.selectFrom('pull_requests').selectAll().where('id', '=', id).executeTakeFirst());

/** The last one of the branch, whatever its state. */
export const pullOfBranch = async (db: Reader, branch: string): Promise<PullRequest | null> =>
  first(
    db,
    await db
      .selectFrom('pull_requests')
      .selectAll()
      .where('branch', '=', branch)
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirst(),
  );

export const openPullOfBranch = async (db: Reader, branch: string): Promise<PullRequest | null> => {
  const pull = await pullOfBranch(db, branch);
  return pull?.state === 'open' ? pull : null;
};

/** The numbers of the others that the branch has had: they are merged or closed. */
export async function earlierNumbers(
  db: Reader,
  { id, branch }: Pick<PullRequest, 'id' | 'branch'>,
): Promise<number[]> {
  const rows = await db
    .selectFrom('pull_requests')
    .select('number')
    .where('branch', '=', branch)
    .where('id', '<>', id)
    .execute();
  return rows.flatMap(({ number }) => number ?? []);
}

/** The branches of the feature, with the state of the last pull request of each; the newest first. */
export async function branchesOfFeature(
  db: Reader,
  feature: string,
): Promise<Pick<PullRequest, 'branch' | 'state'>[]> {
  const rows = await db
    .selectFrom('pull_requests')
    .select(['branch', 'state'])
    .where('feature', '=', feature)
    .orderBy('id', 'desc')
    .execute();
  return rows.filter(({ branch }, index) => rows.findIndex((row) => row.branch === branch) === index);
}

/** The branches that are not those of this feature. */
export async function branchesOfOthers(db: Reader, feature: string): Promise<string[]> {
  const rows = await db
    .selectFrom('pull_requests')
    .select('branch')
    .distinct()
    .where((eb) => eb.or([eb('feature', 'is', null), eb('feature', '<>', feature)]))
    .execute();
  return rows.map(({ branch }) => branch);
}

/**
 * Those that somebody may still merge, with a task that is not settled and none that a session works on: open ones, and the last one
 * of a branch if it was closed, because people open such ones again. `until`: only those that are due by then.
 */
export async function unmergedPulls(db: Reader, until: number | null): Promise<PullRequest[]> {
  const pullTasks = ({ selectFrom }: ExpressionBuilder<Database, 'pull_requests'>) =>
    selectFrom('pull_request_parts')
      .innerJoin('tasks', 'tasks.id', 'task_id')
      .select('tasks.id')
      .whereRef('pull_id', '=', 'pull_requests.id');
  const laterPulls = ({ selectFrom }: ExpressionBuilder<Database, 'pull_requests'>) =>
    selectFrom('pull_requests as later')
      .select('later.id')
      .whereRef('later.branch', '=', 'pull_requests.branch')
      .whereRef('later.id', '>', 'pull_requests.id');
  const all = db
    .selectFrom('pull_requests')
    .selectAll()
    .where('state', '<>', 'merged')
    .where((eb) => eb.or([eb('state', '=', 'open'), eb.not(eb.exists(laterPulls(eb)))]))
    .where((eb) => eb.exists(pullTasks(eb).where('status', 'not in', ['done', 'skipped'])))
    .where((eb) => eb.not(eb.exists(pullTasks(eb).where('status', '=', 'in_progress'))));
  const due = until === null ? all : all.where('next_look', '<=', until);
  return withParts(db, await due.orderBy('id').execute());
}

export type WaitingPull = PullSummary & { task_id: number };

/** By task: those that wait for a merge. */
export const waitingPulls = (db: Reader): Promise<WaitingPull[]> =>
  db
    .selectFrom('pull_requests')
    .innerJoin('pull_request_parts', 'pull_id', 'id')
    .select(['task_id', 'number', 'url', 'branch', 'state', 'feature'])
    .where('state', '=', 'open')
    .where('waits', '=', 1)
    .orderBy('id')
    .orderBy('task_id')
    .execute();

export async function insertPull(
  db: Writer,
  pull: Pick<PullRequest, 'branch' | 'base' | 'feature'>,
  at: number,
): Promise<number> {
  const { id } = await db
    .insertInto('pull_requests')
    .values({ ...pull, changed: at, next_look: at })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

export async function updatePull(
  db: Writer,
  id: number,
  change: Omit<Updateable<Database['pull_requests']>, 'id'>,
): Promise<void> {
  await db.updateTable('pull_requests').set(change).where('id', '=', id).execute();
}

/** False if another process looks at it already. */
export async function takeLook(
  db: Writer,
  { id, next_look: from }: Pick<PullRequest, 'id' | 'next_look'>,
  to: number,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('pull_requests')
    .set({ next_look: to })
    .where('id', '=', id)
    .where('next_look', '=', from)
    .where('state', '<>', 'merged')
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}
