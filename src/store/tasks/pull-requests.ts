import type { Selectable, Updateable } from 'kysely';
import type { Proposal, PullRequest, PullSummary } from '../../domain/pull-requests/pull-request.ts';
import type { Work } from '../../domain/sessions/gate.ts';
import type { Database, Reader, Writer } from '../database.ts';
import { fromJson, toJson } from '../json.ts';

const fromRow = ({ diff_stat, ...row }: Selectable<Database['pull_requests']>): PullRequest => ({
  ...row,
  diff_stat: diff_stat === null ? null : fromJson(diff_stat),
});

/** The last one of the task, whatever its state. */
export async function pullOfTask(db: Reader, task_id: number): Promise<PullRequest | null> {
  const row = await db
    .selectFrom('pull_requests')
    .selectAll()
    .where('task_id', '=', task_id)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? null : fromRow(row);
}

export async function findPull(db: Reader, id: number): Promise<PullRequest | null> {
  const row = await db.selectFrom('pull_requests').selectAll().where('id', '=', id).executeTakeFirst();
  return row === undefined ? null : fromRow(row);
}

/** Open ones of tasks that no session works on and that are not settled; `until`: only those that are due by then. */
export async function openPulls(db: Reader, until: number | null): Promise<PullRequest[]> {
  const all = db
    .selectFrom('pull_requests')
    .innerJoin('tasks', 'tasks.id', 'pull_requests.task_id')
    .selectAll('pull_requests')
    .where('pull_requests.state', '=', 'open')
    .where('tasks.status', 'not in', ['in_progress', 'done', 'skipped']);
  const due = until === null ? all : all.where('pull_requests.next_look', '<=', until);
  return (await due.orderBy('pull_requests.id').execute()).map(fromRow);
}

export type WaitingPull = PullSummary & { task_id: number };

/** Of blocked tasks: those that somebody has to merge. */
export const waitingPulls = (db: Reader): Promise<WaitingPull[]> =>
  db
    .selectFrom('pull_requests')
    .innerJoin('tasks', 'tasks.id', 'pull_requests.task_id')
    .select(['pull_requests.task_id', 'pull_requests.number', 'pull_requests.url'])
    .select(['pull_requests.branch', 'pull_requests.state'])
    .where('pull_requests.state', '=', 'open')
    .where('tasks.status', '=', 'blocked')
    .orderBy('pull_requests.id')
    .execute();

export type NewHead = Proposal &
  Pick<Work, 'tree_hash' | 'diff_stat'> & { task_id: number; session_id: string };

/** The task's open pull request gets a new head; if there is none, a new one begins. */
export async function savePullHead(db: Writer, { diff_stat, ...head }: NewHead, at: number): Promise<void> {
  const values = {
    ...head,
    diff_stat: diff_stat === null ? null : toJson(diff_stat),
    changed: at,
    next_look: at,
  };
  const open = await pullOfTask(db, head.task_id);
  if (open?.state === 'open' && open.branch === head.branch)
    await db.updateTable('pull_requests').set(values).where('id', '=', open.id).execute();
  else await db.insertInto('pull_requests').values(values).execute();
}

export async function updatePull(
  db: Writer,
  id: number,
  change: Omit<Updateable<Database['pull_requests']>, 'id' | 'task_id' | 'diff_stat'>,
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
    .where('state', '=', 'open')
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}
