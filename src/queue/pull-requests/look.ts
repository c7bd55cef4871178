// Which pull requests a run should look at now. Several machines may run: each look is taken by one of them.
import { nextLook, type PullRequest, waitsForPull } from '../../domain/pull-requests/pull-request.ts';
import type { ReceiptBody } from '../../domain/pull-requests/receipt-body.ts';
import { latestResults } from '../../domain/sessions/gate.ts';
import { NO_USAGE } from '../../domain/sessions/session.ts';
import { doneSummary, lastClosing } from '../../domain/sessions/signal.ts';
import { appendEvents } from '../../store/events.ts';
import { gateRunsOfSession } from '../../store/sessions/gate-runs.ts';
import { reviewsOfSession } from '../../store/sessions/reviews.ts';
import { findSession } from '../../store/sessions/sessions.ts';
import { signalsOfSession } from '../../store/sessions/signals.ts';
import { openPulls, pullOfTask, takeLook, updatePull } from '../../store/tasks/pull-requests.ts';
import { updateTask } from '../../store/tasks/tasks.ts';
import type { Queue } from '../queue.ts';
import { requireTask } from '../require.ts';

/** `isAll`: whenever the next look at each is due. */
export async function takePulls(queue: Queue, { isAll }: { isAll: boolean }): Promise<PullRequest[]> {
  const now = queue.now();
  const due = await queue.store.read((db) => openPulls(db, isAll ? null : now));
  if (due.length === 0) return [];
  return queue.store.write(async (db) => {
    const taken: PullRequest[] = [];
    for (const pull of due) if (await takeLook(db, pull, nextLook(pull.changed, now))) taken.push(pull);
    return taken;
  });
}

/** The last pull request of a task; null if it has none. */
export const findTaskPull = (queue: Queue, task_id: number): Promise<PullRequest | null> =>
  queue.store.read((db) => pullOfTask(db, task_id));

/** What the body of the pull request says. */
export const readReceipt = (queue: Queue, pull: PullRequest): Promise<ReceiptBody> =>
  queue.store.read(async (db) => {
    const { session_id, head, tree_hash, diff_stat } = pull;
    const signals = (await signalsOfSession(db, session_id)).map(({ signal }) => signal);
    return {
      task: await requireTask(db, pull.task_id),
      session_id,
      summary: doneSummary(lastClosing(signals)) ?? '',
      gates: latestResults(await gateRunsOfSession(db, session_id)),
      review: (await reviewsOfSession(db, session_id)).at(-1) ?? null,
      work: { head, tree_hash, diff_stat },
      usage: (await findSession(db, session_id))?.usage ?? NO_USAGE,
    };
  });

/** GitHub has the pull request, and its body shows the receipt of the head. */
export function recordOpened(
  queue: Queue,
  pull: PullRequest,
  { number, url }: { number: number; url: string },
): Promise<void> {
  const at = queue.now();
  return queue.store.write(async (db) => {
    const isNew = pull.number !== number;
    await updatePull(db, pull.id, {
      number,
      url,
      described: pull.session_id,
      ...(isNew && { changed: at }),
    });
    const task = await requireTask(db, pull.task_id);
    if (task.status === 'blocked' && task.blocked_by === waitsForPull(pull))
      await updateTask(db, task.id, { blocked_by: waitsForPull({ ...pull, number, url }), updated: at });
    const data = { number, url, branch: pull.branch };
    const kind = isNew ? 'pull.opened' : 'pull.updated';
    await appendEvents(db, [{ at, kind, task_id: pull.task_id, session_id: pull.session_id, data }]);
  });
}
