import type { Selectable } from 'kysely';
import type { Discipline } from '../../domain/tasks/discipline.ts';
import type { Database, Reader, Writer } from '../database.ts';
import { fromJson, toJson } from '../rows.ts';

export type StoredDiscipline = Discipline & { defined: readonly string[] | null };

export async function listDisciplines(db: Reader): Promise<StoredDiscipline[]> {
  return (await db.selectFrom('disciplines').selectAll().orderBy('name').execute()).map(fromRow);
}

export async function findDiscipline(db: Reader, name: string): Promise<StoredDiscipline | null> {
  const row = await db.selectFrom('disciplines').selectAll().where('name', '=', name).executeTakeFirst();
  return row === undefined ? null : fromRow(row);
}

const fromRow = (row: Selectable<Database['disciplines']>): StoredDiscipline => ({
  ...row,
  skills: fromJson(row.skills),
  mcp_servers: fromJson(row.mcp_servers),
  tools: fromJson(row.tools),
  crops: row.crops === null ? null : fromJson(row.crops),
  defined: row.defined === null ? null : fromJson(row.defined),
});

export async function saveDiscipline(db: Writer, discipline: StoredDiscipline): Promise<void> {
  const row = {
    ...discipline,
    skills: toJson(discipline.skills),
    mcp_servers: toJson(discipline.mcp_servers),
    tools: toJson(discipline.tools),
    crops: discipline.crops === null ? null : toJson(discipline.crops),
    defined: discipline.defined === null ? null : toJson(discipline.defined),
  };
  await db
    .insertInto('disciplines')
    .values(row)
    .onConflict((conflict) => conflict.column('name').doUpdateSet(row))
    .execute();
}

export async function deleteDiscipline(db: Writer, name: string): Promise<void> {
  await db.deleteFrom('disciplines').where('name', '=', name).execute();
}

/** The learnings that changed. */
export async function replaceInLearnings(
  db: Writer,
  name: string,
  replacement: string | null,
): Promise<number[]> {
  const rows = await db
    .updateTable('feature_comments')
    .set({ discipline: replacement })
    .where('discipline', '=', name)
    .returning('id')
    .execute();
  return rows.map(({ id }) => id).sort((one, other) => one - other);
}
