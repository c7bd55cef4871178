import type { Reference, Snapshot, Source } from '../../domain/exchange/backlog.ts';
import type { Reader, Writer } from '../database.ts';
import { fromJson, insertRows, toJson } from '../rows.ts';

export type StoredReference = Reference & { task_id: number; seen: Snapshot | null };

export async function referencesBySource(db: Reader, source: Source): Promise<StoredReference[]> {
  const rows = await db
    .selectFrom('task_references')
    .selectAll()
    .where('source', '=', source)
    .orderBy('board')
    .orderBy('id')
    .execute();
  return rows.map(({ seen, ...row }) => ({ ...row, seen: seen === null ? null : fromJson<Snapshot>(seen) }));
}

export const referencesOfTask = (db: Reader, task_id: number): Promise<Reference[]> =>
  db
    .selectFrom('task_references')
    .select(['source', 'board', 'id'])
    .where('task_id', '=', task_id)
    .orderBy('source')
    .orderBy('board')
    .orderBy('id')
    .execute();

export async function findReferencedTask(
  db: Reader,
  { source, board, id }: Reference,
): Promise<number | null> {
  const row = await db
    .selectFrom('task_references')
    .select('task_id')
    .where('source', '=', source)
    .where('board', '=', board)
    .where('id', '=', id)
    .executeTakeFirst();
  return row?.task_id ?? null;
}

/** Where a task comes from, and who wrote it there. `except`: a board that is no origin. */
export async function findOrigin(
  db: Reader,
  task_id: number,
  except: string,
): Promise<(Reference & { author: string | null }) | null> {
  const row = await db
    .selectFrom('task_references')
    .selectAll()
    .where('task_id', '=', task_id)
    .where('board', '<>', except)
    .orderBy('source')
    .orderBy('board')
    .orderBy('id')
    .executeTakeFirst();
  if (row === undefined) return null;
  const { source, board, id, seen } = row;
  return { source, board, id, author: seen === null ? null : (fromJson<Snapshot>(seen).author ?? null) };
}

export const allReferences = (db: Reader): Promise<(Reference & { task_id: number })[]> =>
  db
    .selectFrom('task_references')
    .select(['source', 'board', 'id', 'task_id'])
    .orderBy('source')
    .orderBy('board')
    .orderBy('id')
    .execute();

export const insertReferences = (db: Writer, references: readonly StoredReference[]): Promise<void> =>
  insertRows(
    db,
    'task_references',
    references.map(({ source, board, id, task_id, seen }) => ({
      source,
      board,
      id,
      task_id,
      seen: seen === null ? null : toJson(seen),
    })),
  );

export async function saveSeenSnapshot(
  db: Writer,
  { source, board, id }: Reference,
  seen: Snapshot,
): Promise<void> {
  await db
    .updateTable('task_references')
    .set({ seen: toJson(seen) })
    .where('source', '=', source)
    .where('board', '=', board)
    .where('id', '=', id)
    .execute();
}
