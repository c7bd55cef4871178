import { sql } from 'kysely';
import type { Reader, Writer } from '../database.ts';

/** Whether anything in the database refers to the task, besides what it depends on itself. */
export async function hasTraces(db: Reader, id: number): Promise<boolean> {
  const { rows } = await sql<{ found: number }>`
    select 1 as found where exists (select 1 from sessions where task_id = ${id})
      or exists (select 1 from task_comments where task_id = ${id})
      or exists (select 1 from questions where task_id = ${id})
      or exists (select 1 from feature_comments where task_id = ${id})
      or exists (select 1 from task_references where task_id = ${id})
      or exists (select 1 from task_dependencies where depends_on = ${id})
      or exists (select 1 from tasks where parent = ${id})`.execute(db);
  return rows.length > 0;
}

/** Only for a task without traces. */
export async function deleteTask(db: Writer, id: number): Promise<void> {
  await db.deleteFrom('task_dependencies').where('task_id', '=', id).execute();
  await db.deleteFrom('tasks').where('id', '=', id).execute();
}
