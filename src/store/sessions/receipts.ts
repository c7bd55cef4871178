import type { Selectable } from 'kysely';
import type { Receipt } from '../../domain/sessions/gate.ts';
import type { Database, Reader, Writer } from '../database.ts';
import { fromJson, toJson } from '../rows.ts';
import { appendEvidence, hashOfReceipt, vouchForReceipt } from './evidence.ts';

/** Together with the row of the chain that vouches for it. */
export async function insertReceipt(
  db: Writer,
  { commit, gates, diff_stat, learnings, ...row }: Omit<Receipt, 'hash'>,
): Promise<void> {
  const { id } = await db
    .insertInto('receipts')
    .values({
      ...row,
      commit_id: commit,
      gates: toJson(gates),
      diff_stat: diff_stat === null ? null : toJson(diff_stat),
      learnings: toJson(learnings),
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  await vouchForReceipt(db, id);
}

/** The proof of a done; the last one if the task was done more than once. */
export async function findReceipt(db: Reader, task_id: number): Promise<Receipt | null> {
  const row = await db
    .selectFrom('receipts')
    .selectAll()
    .where('task_id', '=', task_id)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (row === undefined) return null;
  const { id, commit_id, gates, diff_stat, learnings, ...rest } = row;
  return {
    ...rest,
    hash: await hashOfReceipt(db, id),
    commit: commit_id,
    gates: fromJson(gates),
    diff_stat: diff_stat === null ? null : fromJson(diff_stat),
    learnings: fromJson(learnings),
  };
}

export async function tasksInCommit(db: Reader, commit: string): Promise<number[]> {
  const rows = await db
    .selectFrom('receipts')
    .select('task_id')
    .distinct()
    .where('commit_id', '=', commit)
    .orderBy('task_id')
    .execute();
  return rows.map(({ task_id }) => task_id);
}

type FeatureReceipt = {
  id: number;
  title: string;
  summary: string;
  session_id: string;
  tree_hash: string | null;
  commit: string | null;
  base_commit: string | null;
  root: string | null;
  created: number;
};

/** Receipts of the feature's done tasks, oldest first: those in no commit yet, or those that no entry records yet. */
export function receiptsOfFeature(
  db: Reader,
  feature: string,
  which: 'uncommitted' | 'unrecorded',
): Promise<FeatureReceipt[]> {
  const all = db
    .selectFrom('receipts')
    .innerJoin('tasks', 'tasks.id', 'receipts.task_id')
    .innerJoin('features', 'features.name', 'tasks.feature')
    .innerJoin('sessions', 'sessions.id', 'receipts.session_id')
    .select(['tasks.id', 'tasks.title', 'receipts.summary', 'receipts.session_id', 'receipts.tree_hash'])
    .select(['receipts.commit_id as commit', 'receipts.created', 'sessions.base_commit', 'sessions.root'])
    .where('features.name', '=', feature)
    .orderBy('receipts.id');
  return which === 'uncommitted'
    ? all.where('receipts.commit_id', 'is', null).execute()
    : all
        .where(({ eb, or, ref }) =>
          or([eb('features.recorded', 'is', null), eb('receipts.created', '>', ref('features.recorded'))]),
        )
        .execute();
}

/** Done tasks whose work no commit holds: it is in the files of this work tree. */
export async function tasksWithoutCommit(db: Reader, root: string): Promise<number[]> {
  const rows = await db
    .selectFrom('receipts')
    .innerJoin('tasks', 'tasks.id', 'receipts.task_id')
    .innerJoin('sessions', 'sessions.id', 'receipts.session_id')
    .select('tasks.id')
    .distinct()
    .where('receipts.commit_id', 'is', null)
    .where('receipts.tree_hash', 'is not', null)
    .where('tasks.status', '=', 'done')
    .where('sessions.root', '=', root)
    .orderBy('tasks.id')
    .execute();
  return rows.map(({ id }) => id);
}

/** Records the commit that holds the work of tasks that were done before it. */
export async function coverReceipts(
  db: Writer,
  task_ids: readonly number[],
  { commit, at }: { commit: string; at: number },
): Promise<void> {
  if (task_ids.length === 0) return;
  const covered = await db
    .updateTable('receipts')
    .set({ commit_id: commit })
    .where('task_id', 'in', [...task_ids])
    .where('commit_id', 'is', null)
    .returning(['id', 'task_id'])
    .execute();
  covered.sort((one, other) => one.id - other.id);
  await appendEvidence(
    db,
    covered.map(({ id, task_id }) => ({ at, kind: 'commit', task_id, receipt_id: id, commit_id: commit })),
  );
}

/** As stored, for the chain of evidence. */
export const findReceiptRows = async (
  db: Reader,
  ids: readonly number[],
): Promise<Selectable<Database['receipts']>[]> => {
  const found: Selectable<Database['receipts']>[] = [];
  for (let start = 0; start < ids.length; start += IDS_PER_STATEMENT)
    found.push(
      ...(await db
        .selectFrom('receipts')
        .selectAll()
        .where('id', 'in', ids.slice(start, start + IDS_PER_STATEMENT))
        .orderBy('id')
        .execute()),
    );
  return found;
};

const IDS_PER_STATEMENT = 1_000;

/** By receipt: the commit that covered it later, as the chain has it. */
export async function commitsOfReceipts(
  db: Reader,
  ids: readonly number[],
): Promise<Map<number, string | null>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('evidence')
    .select(['receipt_id', 'commit_id'])
    .where('kind', '=', 'commit')
    .where('receipt_id', '>=', Math.min(...ids))
    .orderBy('id')
    .execute();
  return new Map(rows.map(({ receipt_id, commit_id }) => [receipt_id ?? 0, commit_id]));
}

/** Receipts for which the chain has no row. */
export const unrecordedReceipts = (db: Reader): Promise<{ task_id: number; session_id: string }[]> =>
  db
    .selectFrom('receipts')
    .select(['task_id', 'session_id'])
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('evidence')
            .select('evidence.id')
            .whereRef('evidence.receipt_id', '=', 'receipts.id')
            .where('evidence.kind', '=', 'receipt'),
        ),
      ),
    )
    .orderBy('id')
    .execute();

/** The sessions of this database that ended as done, with the hash of their receipt; null if that is missing. */
export const receiptHashes = (
  db: Reader,
): Promise<{ session_id: string; task_id: number; hash: string | null }[]> =>
  db
    .selectFrom('sessions')
    .leftJoin('receipts', 'receipts.session_id', 'sessions.id')
    .leftJoin('evidence', (join) =>
      join.onRef('evidence.receipt_id', '=', 'receipts.id').on('evidence.kind', '=', 'receipt'),
    )
    .select(['sessions.id as session_id', 'sessions.task_id', 'evidence.hash'])
    .where('sessions.outcome', '=', 'done')
    // A session that was rebuilt from the journal has no folder and no receipt.
    .where('sessions.root', 'is not', null)
    .orderBy('sessions.started')
    .orderBy('sessions.id')
    .execute();
