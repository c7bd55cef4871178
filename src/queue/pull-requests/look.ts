// Which pull requests a run should look at now. Several machines may run: each look is taken by one of them.
import {
  lastPart,
  nextLook,
  type PullPart,
  type PullRequest,
  waitsForPull,
} from '../../domain/pull-requests/pull-request.ts';
import type { PullText, Receipt } from '../../domain/pull-requests/receipt-body.ts';
import { latestResults } from '../../domain/sessions/gate.ts';
import { NO_USAGE } from '../../domain/sessions/session.ts';
import { doneSummary, lastClosing } from '../../domain/sessions/signal.ts';
import { isSatisfied } from '../../domain/tasks/status.ts';
import type { Reader } from '../../store/database.ts';
import { appendEvents } from '../../store/events.ts';
import { gateRunsOfSession } from '../../store/sessions/gate-runs.ts';
import { reviewsOfSession } from '../../store/sessions/reviews.ts';
import { findSession } from '../../store/sessions/sessions.ts';
import { signalsOfSession } from '../../store/sessions/signals.ts';
import { findFeature } from '../../store/tasks/features.ts';
import { markDescribed } from '../../store/tasks/pull-parts.ts';
import { earlierNumbers, takeLook, unmergedPulls, updatePull } from '../../store/tasks/pull-requests.ts';
import { listTasks, updateTask } from '../../store/tasks/tasks.ts';
import { filesWrittenForTasks } from '../../store/tasks/written-files.ts';
import type { Queue } from '../queue.ts';
import { requireTask } from '../require.ts';

/** `isAll`: whenever the next look at each is due. */
export async function takePulls(queue: Queue, { isAll }: { isAll: boolean }): Promise<PullRequest[]> {
  const now = queue.now();
  const due = await queue.store.read((db) => unmergedPulls(db, isAll ? null : now));
  if (due.length === 0) return [];
  return queue.store.write(async (db) => {
    const taken: PullRequest[] = [];
    for (const pull of due) if (await takeLook(db, pull, nextLook(pull.changed, now))) taken.push(pull);
    return taken;
  });
}

/** What the pull request says of itself. */
export const readPullText = (queue: Queue, { parts, feature }: PullRequest): Promise<PullText> =>
  queue.store.read(async (db) => {
    const receipts: Receipt[] = [];
    for (const part of parts) receipts.push(await readReceipt(db, part));
    if (feature === null) return { feature: null, receipts };
    const title = (await findFeature(db, feature))?.display_name ?? feature;
    const here = new Set(parts.map(({ task_id }) => task_id));
    const open = (await listTasks(db, { feature })).filter(
      ({ id, status }) => !here.has(id) && !isSatisfied(status),
    );
    return { feature: { title, open: open.map(({ id }) => id) }, receipts };
  });

async function readReceipt(db: Reader, part: PullPart): Promise<Receipt> {
  const { task_id, session_id, head, tree_hash, diff_stat } = part;
  const signals = (await signalsOfSession(db, session_id)).map(({ signal }) => signal);
  return {
    task: await requireTask(db, task_id),
    session_id,
    summary: doneSummary(lastClosing(signals)) ?? '',
    gates: latestResults(await gateRunsOfSession(db, session_id)),
    review: (await reviewsOfSession(db, session_id)).at(-1) ?? null,
    work: { head, tree_hash, diff_stat },
    usage: (await findSession(db, session_id))?.usage ?? NO_USAGE,
  };
}

/** Those of the same branch that Ralph has settled. */
export const readEarlierNumbers = (queue: Queue, pull: PullRequest): Promise<number[]> =>
  queue.store.read((db) => earlierNumbers(db, pull));

/** By task: the files that its sessions changed. */
export const readChangedFiles = (queue: Queue, { parts }: PullRequest): Promise<Map<number, string[]>> =>
  queue.store.read((db) =>
    filesWrittenForTasks(
      db,
      parts.map(({ task_id }) => task_id),
    ),
  );

/** GitHub has the pull request, and its body shows the receipts of these parts. */
export function recordOpened(
  queue: Queue,
  pull: PullRequest,
  { number, url }: { number: number; url: string },
): Promise<void> {
  const at = queue.now();
  return queue.store.write(async (db) => {
    const isNew = pull.number !== number;
    await updatePull(db, pull.id, { number, url, ...(isNew && { changed: at }) });
    for (const { task_id } of pull.parts) {
      const task = await requireTask(db, task_id);
      if (task.status === 'blocked' && task.blocked_by === waitsForPull(pull))
        await updateTask(db, task.id, { blocked_by: waitsForPull({ ...pull, number, url }), updated: at });
    }
    const added = pull.parts.filter(({ described, session_id }) => described !== session_id);
    for (const part of added) await markDescribed(db, pull.id, part);
    const { task_id, session_id } = added.at(-1) ?? lastPart(pull);
    const data = { number, url, branch: pull.branch };
    const kind = isNew ? 'pull.opened' : 'pull.updated';
    await appendEvents(db, [{ at, kind, task_id, session_id, data }]);
  });
}
