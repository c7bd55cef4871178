// What each task added to a pull request.
import type { Proposal, PullPart, PullRequest } from '../../domain/pull-requests/pull-request.ts';
import type { Work } from '../../domain/sessions/gate.ts';
import type { Writer } from '../database.ts';
import { toJson } from '../rows.ts';
import { insertPull, pullOfBranch, updatePull } from './pull-requests.ts';

export type NewPart = Proposal &
  Pick<Work, 'tree_hash' | 'diff_stat'> & { task_id: number; session_id: string };

/**
 * Adds what a task pushed to the open pull request of its branch; if there is none, a new one begins. That holds as well what an
 * earlier one held that was closed, if it is still on the branch. Returns the tasks that came along so, and those whose work is
 * gone because the branch was deleted.
 */
export async function savePart(
  db: Writer,
  { branch, base, feature, isNew = false, diff_stat, ...part }: NewPart,
  at: number,
): Promise<{ others: number[]; gone: number[] }> {
  const known = await pullOfBranch(db, branch);
  // GitHub closes or has merged the pull request of a deleted branch: its tasks wait for the next look at it.
  const isLost = isNew && known?.parts.every(({ task_id }) => task_id !== part.task_id) === true;
  const isOpen = known?.state === 'open' && !isLost;
  const id = isOpen ? known.id : await insertPull(db, { branch, base, feature }, at);
  const waiting = known?.state === 'closed' ? waitingTasks(known) : [];
  const [others, gone] = isNew ? [[], waiting] : [waiting, []];
  if (known !== null) await moveParts(db, known, id, others);
  await updatePull(db, id, { changed: at, next_look: at });
  const values = {
    ...part,
    pull_id: id,
    diff_stat: diff_stat === null ? null : toJson(diff_stat),
    waits: 1 as const,
    pushed: at,
  };
  await db
    .insertInto('pull_request_parts')
    .values(values)
    .onConflict((conflict) => conflict.columns(['pull_id', 'task_id']).doUpdateSet(values))
    .execute();
  return { others, gone };
}

const waitingTasks = ({ parts }: PullRequest): number[] =>
  parts.filter(({ waits }) => waits).map(({ task_id }) => task_id);

/** Into a new pull request of the same branch; returns its id. */
export async function moveToNext(
  db: Writer,
  pull: PullRequest,
  task_ids: readonly number[],
  at: number,
): Promise<number> {
  const { branch, base, feature } = pull;
  const id = await insertPull(db, { branch, base, feature }, at);
  await moveParts(db, pull, id, task_ids);
  return id;
}

async function moveParts(
  db: Writer,
  { id }: Pick<PullRequest, 'id'>,
  to: number,
  task_ids: readonly number[],
): Promise<void> {
  if (task_ids.length === 0) return;
  await db
    .updateTable('pull_request_parts')
    .set({ pull_id: to, described: null })
    .where('pull_id', '=', id)
    .where('task_id', 'in', task_ids)
    .execute();
}

/** The body shows the receipt of the session. */
export async function markDescribed(
  db: Writer,
  pull_id: number,
  { task_id, session_id }: Pick<PullPart, 'task_id' | 'session_id'>,
): Promise<void> {
  await db
    .updateTable('pull_request_parts')
    .set({ described: session_id })
    .where('pull_id', '=', pull_id)
    .where('task_id', '=', task_id)
    .execute();
}

/** Whether the task waits for the merge of this; without `pull_id`, it waits for none any more. */
export async function setWaiting(db: Writer, task_id: number, pull_id: number | null): Promise<void> {
  await db
    .updateTable('pull_request_parts')
    .set({ waits: pull_id === null ? 0 : 1 })
    .where('task_id', '=', task_id)
    .where(({ lit, eb }) => (pull_id === null ? lit(true) : eb('pull_id', '=', pull_id)))
    .execute();
}
