// Files that sessions wrote, from which the files that a task will probably change are guessed.
import type { Reader, Writer } from '../database.ts';

export async function insertWrittenFiles(
  db: Writer,
  session_id: string,
  paths: readonly string[],
): Promise<void> {
  if (paths.length === 0) return;
  await db
    .insertInto('written_files')
    .values(paths.map((path) => ({ session_id, path })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** By task: what its sessions wrote. */
export async function filesWrittenForTasks(
  db: Reader,
  task_ids: readonly number[],
): Promise<Map<number, string[]>> {
  if (task_ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('sessions')
    .innerJoin('written_files', 'written_files.session_id', 'sessions.id')
    .select(['sessions.task_id', 'written_files.path'])
    .distinct()
    .where('sessions.task_id', 'in', task_ids)
    .orderBy('sessions.task_id')
    .orderBy('written_files.path')
    .execute();
  const byTask = new Map<number, string[]>();
  for (const { task_id, path } of rows) byTask.set(task_id, [...(byTask.get(task_id) ?? []), path]);
  return byTask;
}

/** What at least half of the feature's last `last` sessions wrote; sessions that wrote nothing do not count. */
export async function filesWrittenForFeature(db: Reader, feature: string, last: number): Promise<string[]> {
  const sessions = await db
    .selectFrom('tasks')
    .innerJoin('sessions', 'sessions.task_id', 'tasks.id')
    .select('sessions.id')
    .where('tasks.feature', '=', feature)
    .where(({ exists, selectFrom }) =>
      exists(selectFrom('written_files').select('path').whereRef('session_id', '=', 'sessions.id')),
    )
    .orderBy('sessions.ended', (order) => order.desc().nullsLast())
    .orderBy('sessions.id')
    .limit(last)
    .execute();
  if (sessions.length === 0) return [];
  const rows = await db
    .selectFrom('written_files')
    .select('path')
    .where(
      'session_id',
      'in',
      sessions.map(({ id }) => id),
    )
    .groupBy('path')
    .having(({ fn }) => fn.countAll(), '>=', Math.ceil(sessions.length / 2))
    .orderBy('path')
    .execute();
  return rows.map(({ path }) => path);
}
