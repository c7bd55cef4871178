import type { Receipt } from '../../domain/sessions/gate.ts';
import type { Reader, Writer } from '../database.ts';
import { fromJson, toJson } from '../json.ts';

export async function insertReceipt(
  db: Writer,
  { commit, gates, diff_stat, learnings, ...row }: Receipt,
): Promise<void> {
  await db
    .insertInto('receipts')
    .values({
      ...row,
      commit_id: commit,
      gates: toJson(gates),
      diff_stat: diff_stat === null ? null : toJson(diff_stat),
      learnings: toJson(learnings),
    })
    .execute();
}

/** The proof of a done; the last one if the task was done more than once. */
export async function findReceipt(db: Reader, task_id: number): Promise<Receipt | null> {
  const row = await db
    .selectFrom('receipts')
    .selectAll()
    .where('task_id', '=', task_id)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (row === undefined) return null;
  const { id: _, commit_id, gates, diff_stat, learnings, ...rest } = row;
  return {
    ...rest,
    commit: commit_id,
    gates: fromJson(gates),
    diff_stat: diff_stat === null ? null : fromJson(diff_stat),
    learnings: fromJson(learnings),
  };
}

export type FeatureReceipt = {
  id: number;
  title: string;
  summary: string;
  session_id: string;
  tree_hash: string | null;
  commit: string | null;
  base_commit: string | null;
  root: string | null;
  created: number;
};

/** Receipts of the feature's done tasks, oldest first: those in no commit yet, or those that no entry records yet. */
export function receiptsOfFeature(
  db: Reader,
  feature: string,
  which: 'uncommitted' | 'unrecorded',
): Promise<FeatureReceipt[]> {
  const all = db
    .selectFrom('receipts')
    .innerJoin('tasks', 'tasks.id', 'receipts.task_id')
    .innerJoin('features', 'features.name', 'tasks.feature')
    .innerJoin('sessions', 'sessions.id', 'receipts.session_id')
    .select(['tasks.id', 'tasks.title', 'receipts.summary', 'receipts.session_id', 'receipts.tree_hash'])
    .select(['receipts.commit_id as commit', 'receipts.created', 'sessions.base_commit', 'sessions.root'])
    .where('features.name', '=', feature)
    .orderBy('receipts.id');
  return which === 'uncommitted'
    ? all.where('receipts.commit_id', 'is', null).execute()
    : all
        .where(({ eb, or, ref }) =>
          or([eb('features.recorded', 'is', null), eb('receipts.created', '>', ref('features.recorded'))]),
        )
        .execute();
}

/** Done tasks whose work no commit holds: it is in the files of this work tree. */
export async function tasksWithoutCommit(db: Reader, root: string): Promise<number[]> {
  const rows = await db
    .selectFrom('receipts')
    .innerJoin('tasks', 'tasks.id', 'receipts.task_id')
    .innerJoin('sessions', 'sessions.id', 'receipts.session_id')
    .select('tasks.id')
    .distinct()
    .where('receipts.commit_id', 'is', null)
    .where('receipts.tree_hash', 'is not', null)
    .where('tasks.status', '=', 'done')
    .where('sessions.root', '=', root)
    .orderBy('tasks.id')
    .execute();
  return rows.map(({ id }) => id);
}

/** Records the commit that holds the work of tasks that were done before it. */
export async function coverReceipts(db: Writer, task_ids: readonly number[], commit: string): Promise<void> {
  if (task_ids.length === 0) return;
  await db
    .updateTable('receipts')
    .set({ commit_id: commit })
    .where('task_id', 'in', [...task_ids])
    .where('commit_id', 'is', null)
    .execute();
}
