import { sql } from 'kysely';
import type { Reader, Writer } from './database.ts';

export async function readMetadata(db: Reader): Promise<Record<string, string>> {
  const rows = await db.selectFrom('metadata').selectAll().orderBy('key').execute();
  return Object.fromEntries(rows.map(({ key, value }) => [key, value]));
}

export async function writeMetadata(db: Writer, key: string, value: string): Promise<void> {
  await db
    .insertInto('metadata')
    .values({ key, value })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
    .execute();
}

const NEW_QUEUE = 'new queue';

/** True if there was never a task or session here, and no person has confirmed that the queue is new. */
export async function isUntouched(db: Reader): Promise<boolean> {
  const { rows } = await sql<{ untouched: 0 | 1 }>`
    select case when exists (select 1 from tasks)
      or exists (select 1 from sessions)
      or exists (select 1 from metadata where key = ${NEW_QUEUE}) then 0 else 1 end as untouched`.execute(db);
  return rows[0]?.untouched === 1;
}

export const markNewQueue = (db: Writer): Promise<void> => writeMetadata(db, NEW_QUEUE, 'yes');
