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
