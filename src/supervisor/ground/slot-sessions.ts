// Opens a slot for a session: the files of its base, merged with the task's unfinished work.
import { NeedsPerson } from '../../domain/refusal.ts';
import { treeOfCommit } from '../../host/git/git.ts';
import { workRef } from '../../host/git/refs.ts';
import { commitsBetween, mergeWork } from '../../host/landing/merge.ts';
import { fetchTaskWork } from '../../host/landing/shared-work.ts';
import { withPlainPaths } from '../../host/landing/slot-gates.ts';
import { readRef } from '../../host/landing/trunk.ts';
import { allEnded } from '../../host/processes/all-ended.ts';
import { insideSlot } from '../../host/sandbox/inside.ts';
import { removeSlot } from '../../host/slots/fill-slot.ts';
import { prepareForAgent } from '../../host/slots/prepare-work.ts';
import { type Slot, slotEnvironment } from '../../host/slots/slot.ts';
import {
  acquireWorkSlot,
  clearSlotSession,
  releaseSlot,
  writeSlotSession,
} from '../../host/slots/slot-pool.ts';
import { recordSlot, setPhase } from '../../queue/sessions/live-session.ts';
import { isSessionOver } from '../../queue/sessions/sessions.ts';
import type { Claim } from '../../queue/tasks/claim.ts';
import { addComment } from '../../queue/tasks/comment.ts';
import { show } from '../../queue/tasks/show.ts';
import { plantedText } from '../sessions/tampering.ts';
import { conflictText, setUpText } from './earlier-work.ts';
import type { OpenedGround } from './ground.ts';
import { type SlotRun, sessionBase } from './slot-run.ts';

export async function openSlotSession(run: SlotRun, claim: Claim): Promise<OpenedGround> {
  const { input, place, rules, trunk, open } = run;
  const { queue, config } = input;
  const { session, task } = claim;
  const slot = await acquireWorkSlot(place, (id) => isSessionOver(queue, id));
  open.set(session.id, { slot, claim, base: sessionBase(run, claim) });
  const { base, trunkTip } = await startCommit(run, claim);
  open.set(session.id, { slot, claim, base });
  const tree = await startTree(run, claim, base);
  const head = { commit: base, branch: `task-${task.id}`, trunk };
  clearSlotSession(slot);
  const prepare = () => prepareForAgent(slot, { head, tree, trunkTip }, rules);
  // Beside each other: the first one waits for git.
  const [failed] = await allEnded([
    prepare(),
    recordSlot(queue, session.id, { slot: slot.number, base_commit: base }),
  ]);
  if (failed !== null) await addCommentOnce(run, task.id, withPlainPaths(slot, setUpText(failed)));
  await requireNothingPlanted(run, slot, task.id, prepare);
  await writeSlotSession(slot, { session_id: session.id, base });
  await setPhase(queue, session.id, 'working');
  await run.followed();
  return {
    root: slot.root,
    slot: slot.number,
    inside: insideSlot(slot, 'agent'),
    env: slotEnvironment(slot, config.slots.env),
    tree,
  };
}

export async function closeSlotSession({ input, train, open }: SlotRun, { session }: Claim): Promise<void> {
  train.leave(session.id);
  const slot = open.get(session.id)?.slot;
  open.delete(session.id);
  if (slot === undefined) return;
  // What is not in a ref by now stays in the slot for a later run.
  if (await isSessionOver(input.queue, session.id)) clearSlotSession(slot);
  await releaseSlot(slot);
}

/** Each session of the task may find the same. */
async function addCommentOnce({ input: { queue } }: SlotRun, task_id: number, body: string): Promise<void> {
  const { comments } = await show(queue, task_id);
  if (!comments.some((comment) => comment.body === body)) await addComment(queue, task_id, body);
}

/** An agent executes what the settings in its folder name, and ignored files of earlier sessions are still in the slot. */
async function requireNothingPlanted(
  { tampering }: SlotRun,
  slot: Slot,
  task_id: number,
  prepareAgain: () => Promise<unknown>,
): Promise<void> {
  if ((await tampering.findPlantedIn(slot.root)).length === 0) return;
  await removeSlot(slot);
  await prepareAgain();
  const planted = await tampering.findPlantedIn(slot.root);
  if (planted.length > 0) throw new NeedsPerson(plantedText(planted, task_id));
}

/** The tip of the trunk; or the branch of the task's pull request, merged with it. */
async function startCommit(run: SlotRun, claim: Claim): Promise<{ base: string; trunkTip: string }> {
  const base = sessionBase(run, claim);
  if (run.pulls === null) return { base, trunkTip: base };
  const { tip, clean, conflicts } = await run.pulls.point(claim);
  if (conflicts.length > 0) await addComment(run.input.queue, claim.task.id, conflictText(conflicts, []));
  return { base: tip, trunkTip: clean };
}

/** The files that a session starts with: those of its base, merged with the task's unfinished work. */
async function startTree(
  { repository, trunk, input: { queue } }: SlotRun,
  claim: Claim,
  base: string,
): Promise<string> {
  const { task } = claim;
  await fetchTaskWork(repository, trunk, task.id);
  const work = await readRef(repository, workRef(task.id));
  if (work === null) return treeOfCommit(repository, base);
  const merge = await mergeWork(repository, { base: `${work}^`, commit: work }, base);
  const isTold = (await show(queue, task.id)).sessions.at(-2)?.outcome === 'conflict';
  if (merge.conflicts.length > 0 && !isTold) {
    const others = await commitsBetween(repository, work, base, merge.conflicts);
    await addComment(queue, task.id, conflictText(merge.conflicts, others));
  }
  return merge.tree;
}
