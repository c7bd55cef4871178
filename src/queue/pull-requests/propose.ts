// What a task pushes becomes a part of the pull request of its branch.
import { isOnBranch, waitsForPull } from '../../domain/pull-requests/pull-request.ts';
import type { Reader, Writer } from '../../store/database.ts';
import { sessionIds } from '../../store/sessions/sessions.ts';
import { type NewPart, savePart } from '../../store/tasks/pull-parts.ts';
import {
  branchesOfFeature,
  branchesOfOthers,
  openPullOfBranch,
  pullOfTask,
  type WaitingPull,
  waitingPulls,
} from '../../store/tasks/pull-requests.ts';
import { updateTask } from '../../store/tasks/tasks.ts';
import type { Queue } from '../queue.ts';
import { requireTask } from '../require.ts';
import { changeStatus, refreshDependents } from '../tasks/change-status.ts';
import { commentOn } from '../tasks/comment.ts';

/** The task waits for the merge already. */
export async function proposePart(db: Writer, part: NewPart, at: number): Promise<void> {
  const { others, gone } = await savePart(db, part, at);
  const pull = await openPullOfBranch(db, part.branch);
  if (pull === null) throw new Error(`Branch ${part.branch} has no pull request.`);
  for (const id of others) await updateTask(db, id, { blocked_by: waitsForPull(pull), updated: at });
  for (const id of [part.task_id, ...others]) await refreshDependents(db, id, at);
  for (const id of gone) await beginAgain(db, id, at);
}

/** The pull request was closed, and nothing holds the work of the task any more. */
async function beginAgain(db: Writer, id: number, at: number): Promise<void> {
  const body =
    'The pull request with your earlier work was closed without a merge, and its branch was deleted. Begin again.';
  await commentOn(db, id, { author: 'system', body, created: at });
  const task = await requireTask(db, id);
  await changeStatus(db, task, { cause: 'return', to: 'pending', at, patch: { blocked_by: null } });
}

/** Where the work of a task goes. `feature`: null if the task gets a pull request of its own. */
export const findBranch = (
  queue: Queue,
  task_id: number,
  feature: string | null,
): Promise<{ branch: string | null; isOwn: boolean; avoided: string[] }> =>
  queue.store.read(async (db) => {
    const own = await pullOfTask(db, task_id);
    const all = feature === null ? [] : await branchesOfFeature(db, feature);
    // A task whose pull request was closed goes on from its own work, also if others of the feature have begun another branch.
    const isKept = own !== null && own.state !== 'merged';
    const open = isKept
      ? own
      : (all.find(({ state }) => state === 'open') ?? (await findBelow(db, task_id)) ?? own);
    const closed = all.filter(({ state }) => state === 'closed').map(({ branch }) => branch);
    // A task that was moved here has left its commits on the branch of its former feature.
    const foreign = feature === null ? [] : await branchesOfOthers(db, feature);
    const avoided = [...closed, ...foreign];
    return { branch: open?.branch ?? null, isOwn: open !== null && open.branch === own?.branch, avoided };
  });

/** What the task depends on may wait on the branch of its feature, although `land.per` is another one by now. */
async function findBelow(db: Reader, task_id: number): Promise<WaitingPull | null> {
  const { depends_on, feature } = await requireTask(db, task_id);
  const waiting = await waitingPulls(db);
  return waiting.find((pull) => depends_on.includes(pull.task_id) && isOnBranch(pull, feature)) ?? null;
}

/** All sessions that the task has had; with a feature, those of all its tasks. */
export const sessionsOfBranch = (queue: Queue, task_id: number, feature: string | null): Promise<string[]> =>
  queue.store.read((db) => sessionIds(db, feature === null ? { task_id } : { feature }));
