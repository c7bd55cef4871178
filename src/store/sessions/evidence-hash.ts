// The hashes of the chain of evidence. They cover stored values as they are, so that any changed byte is seen.
import { createHash } from 'node:crypto';
import type { Selectable } from 'kysely';
import type { EvidenceRow } from '../../domain/sessions/evidence.ts';
import type { Database } from '../database.ts';

type StoredReceipt = Selectable<Database['receipts']>;

/** `fields`: the columns of a receipt in the order of the table. A later column needs a digest of its own. */
export const digestFields = (fields: readonly unknown[]): string => sha256(JSON.stringify(fields));

/** `commit_id`: as it was when the receipt was written; a later commit has a row of its own in the chain. */
export const receiptDigest = (
  {
    id,
    task_id,
    session_id,
    summary,
    gates,
    tree_hash,
    diff_stat,
    model,
    turns,
    input_tokens,
    output_tokens,
    cost_usd,
    learnings,
    created,
    no_change_reason,
  }: StoredReceipt,
  commit_id: string | null,
): string =>
  digestFields([
    id,
    task_id,
    session_id,
    summary,
    gates,
    commit_id,
    tree_hash,
    diff_stat,
    model,
    turns,
    input_tokens,
    output_tokens,
    cost_usd,
    learnings,
    created,
    no_change_reason,
  ]);

/** `before`: the hash of the row before; empty for the first one. */
export const evidenceHash = (
  before: string,
  { id, at, kind, task_id, receipt_id, digest, commit_id }: Omit<EvidenceRow, 'hash'>,
): string => digestFields([before, id, at, kind, task_id, receipt_id, digest, commit_id]);

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
