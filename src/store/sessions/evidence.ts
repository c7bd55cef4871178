// Why each done task is done: a chain of rows that is only ever added to. A write transaction is immediate, so the chain is serial.
import type { EvidenceKind, EvidenceRow } from '../../domain/sessions/evidence.ts';
import type { Reader, Writer } from '../database.ts';
import { insertRows } from '../rows.ts';
import { evidenceHash, receiptDigest } from './evidence-hash.ts';

type NewEvidence = {
  at: number;
  kind: EvidenceKind;
  task_id: number;
  receipt_id?: number;
  digest?: string;
  commit_id?: string;
};

export async function appendEvidence(db: Writer, entries: readonly NewEvidence[]): Promise<void> {
  if (entries.length === 0) return;
  const last = await lastEvidence(db);
  let [id, hash] = [last?.id ?? 0, last?.hash ?? ''];
  const rows = entries.map(({ at, kind, task_id, receipt_id = null, digest = null, commit_id = null }) => {
    id += 1;
    const row = { id, at, kind, task_id, receipt_id, digest, commit_id };
    hash = evidenceHash(hash, row);
    return { ...row, hash };
  });
  await insertRows(db, 'evidence', rows);
}

/** Reads the receipt back: the store may have masked it, and the digest is of what is stored. */
export async function vouchForReceipt(db: Writer, receipt_id: number): Promise<void> {
  const row = await db
    .selectFrom('receipts')
    .selectAll()
    .where('id', '=', receipt_id)
    .executeTakeFirstOrThrow();
  const { task_id, created, commit_id } = row;
  await appendEvidence(db, [
    { at: created, kind: 'receipt', task_id, receipt_id, digest: receiptDigest(row, commit_id) },
  ]);
}

async function lastEvidence(db: Reader): Promise<EvidenceRow | null> {
  const row = await db.selectFrom('evidence').selectAll().orderBy('id', 'desc').limit(1).executeTakeFirst();
  return row ?? null;
}

/** In the order of the chain, starting after `id`. */
export const evidenceAfter = (db: Reader, id: number): Promise<EvidenceRow[]> =>
  db.selectFrom('evidence').selectAll().where('id', '>', id).orderBy('id').execute();

/** The row with this id; null if it is gone. */
export async function findEvidence(db: Reader, id: number): Promise<EvidenceRow | null> {
  return (await db.selectFrom('evidence').selectAll().where('id', '=', id).executeTakeFirst()) ?? null;
}

/** Where the last `count` rows begin: the id of the row before them. */
export async function startOfLast(db: Reader, count: number): Promise<number> {
  const row = await db
    .selectFrom('evidence')
    .select('id')
    .orderBy('id', 'desc')
    .offset(count)
    .limit(1)
    .executeTakeFirst();
  return row?.id ?? 0;
}

/** Done tasks for which the chain has no word, or whose last word is that they were reopened. */
export async function doneWithoutEvidence(db: Reader): Promise<number[]> {
  const rows = await db
    .selectFrom('tasks')
    .select('tasks.id')
    .where('tasks.status', '=', 'done')
    .where((eb) =>
      eb(
        eb.fn.coalesce(
          eb
            .selectFrom('evidence')
            .select('evidence.kind')
            .whereRef('evidence.task_id', '=', 'tasks.id')
            .where('evidence.kind', '<>', 'commit')
            .orderBy('evidence.id', 'desc')
            .limit(1),
          eb.val<EvidenceKind>('reopened'),
        ),
        '=',
        'reopened',
      ),
    )
    .orderBy('tasks.id')
    .execute();
  return rows.map(({ id }) => id);
}

/** When a person last looked at what did not hold about each of these tasks. */
export async function lastAccepted(
  db: Reader,
  task_ids: readonly number[],
): Promise<Map<number, EvidenceRow>> {
  if (task_ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('evidence')
    .selectAll()
    .where('task_id', 'in', [...task_ids])
    .where('kind', '=', 'accepted')
    .orderBy('id')
    .execute();
  return new Map(rows.map((row) => [row.task_id, row]));
}

/** The hash that the chain has for the task's receipt; null if it has none. */
export async function hashOfReceipt(db: Reader, receipt_id: number): Promise<string | null> {
  const row = await db
    .selectFrom('evidence')
    .select('hash')
    .where('receipt_id', '=', receipt_id)
    .where('kind', '=', 'receipt')
    .executeTakeFirst();
  return row?.hash ?? null;
}
