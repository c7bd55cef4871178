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

export type UncommittedReceipt = {
  id: number;
  title: string;
  summary: string;
  session_id: string;
  tree_hash: string | null;
};

/** Receipts of the feature's other done tasks whose work is in no commit yet. */
export function uncommittedReceipts(
  db: Reader,
  feature: string,
  /** The session that is finishing: the caller adds its work itself. */
  except: string,
): Promise<UncommittedReceipt[]> {
  return db
    .selectFrom('receipts')
    .innerJoin('tasks', 'tasks.id', 'receipts.task_id')
    .select(['tasks.id', 'tasks.title', 'receipts.summary', 'receipts.session_id', 'receipts.tree_hash'])
    .where('tasks.feature', '=', feature)
    .where('receipts.session_id', '<>', except)
    .where('receipts.commit_id', 'is', null)
    .orderBy('receipts.id')
    .execute();
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
