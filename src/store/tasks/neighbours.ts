// Reads for one task's prompt: each is bounded and uses an index, so project size does not matter.
import type { TaskMention } from '../../domain/context.ts';
import type { Status } from '../../domain/tasks/task.ts';
import type { Reader } from '../database.ts';

/** The feature's tasks nearest to this one by id, half of them before it; `more` counts the rest. */
export async function findSiblings(
  db: Reader,
  { id, feature }: { id: number; feature: string },
  limit: number,
): Promise<{ siblings: TaskMention[]; more: number }> {
  const all = db.selectFrom('tasks').where('feature', '=', feature).where('id', '<>', id);
  const ofFeature = all.where('archived', 'is', null);
  const half = Math.floor(limit / 2);
  const columns = ['id', 'title', 'status', 'provenance'] as const;
  const before = await ofFeature
    .select(columns)
    .where('id', '<', id)
    .orderBy('id', 'desc')
    .limit(half)
    .execute();
  const after = await ofFeature
    .select(columns)
    .where('id', '>', id)
    .orderBy('id')
    .limit(limit - half)
    .execute();
  const countTasks = async (tasks: typeof all): Promise<number> =>
    Number((await tasks.select(({ fn }) => fn.countAll().as('count')).executeTakeFirstOrThrow()).count);
  const count = (await countTasks(all)) - (await countTasks(all.where('archived', 'is not', null)));
  const siblings = [...before.reverse(), ...after];
  return { siblings, more: count - siblings.length };
}

export async function findSummaries(db: Reader, ids: readonly number[]): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('receipts')
    .select(['task_id', 'summary'])
    .where('task_id', 'in', ids)
    .orderBy('id')
    .execute();
  return new Map(rows.map(({ task_id, summary }) => [task_id, summary]));
}

const OPEN: readonly Status[] = ['draft', 'pending', 'in_progress', 'needs_input', 'blocked', 'failed'];

export function openTasks(db: Reader, limit: number): Promise<(TaskMention & { feature: string | null })[]> {
  return db
    .selectFrom('tasks')
    .select(['id', 'title', 'status', 'provenance', 'feature'])
    .where('status', 'in', OPEN)
    .orderBy('id')
    .limit(limit)
    .execute();
}
