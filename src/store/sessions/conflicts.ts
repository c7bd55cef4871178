import type { Reader } from '../database.ts';

/**
 * By task, without those that have none: how many of its last sessions in a row ended with a conflict. Interrupted sessions tell nothing about it, so they neither
 * count nor end the row.
 */
export async function conflictsInARow(db: Reader, task_ids: readonly number[]): Promise<Map<number, number>> {
  if (task_ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('sessions')
    .select(['task_id', 'outcome'])
    .where('task_id', 'in', task_ids)
    .where('ended', 'is not', null)
    .where('outcome', '<>', 'interrupted')
    .orderBy('task_id')
    .orderBy('token', 'desc')
    .execute();
  const counts = new Map<number, number>();
  const over = new Set<number>();
  for (const { task_id, outcome } of rows) {
    if (outcome !== 'conflict') over.add(task_id);
    else if (!over.has(task_id)) counts.set(task_id, (counts.get(task_id) ?? 0) + 1);
  }
  return counts;
}
