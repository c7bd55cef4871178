import type { Receipt } from '../domain/gate.ts';
import type { Reader, Writer } from './database.ts';
import { fromJson, toJson } from './json.ts';

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

/** The proof behind a done; the last one where a task was done more than once. */
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
