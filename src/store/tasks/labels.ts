import { sql } from 'kysely';
import type { Reader } from '../database.ts';
import { fromJson } from '../json.ts';

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
