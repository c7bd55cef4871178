import { sql } from 'kysely';
import type { Reader, Writer } from './database.ts';
import { writeMetadata } from './metadata.ts';

const NEW_QUEUE = 'new queue';

/** No task and no session was ever here, and nobody has said that this is how it should be. */
export async function isUntouched(db: Reader): Promise<boolean> {
  const { rows } = await sql<{ untouched: 0 | 1 }>`
    select not exists (select 1 from tasks)
      and not exists (select 1 from sessions)
      and not exists (select 1 from metadata where key = ${NEW_QUEUE}) as untouched`.execute(db);
  return rows[0]?.untouched === 1;
}

export const markNewQueue = (db: Writer): Promise<void> => writeMetadata(db, NEW_QUEUE, 'yes');
