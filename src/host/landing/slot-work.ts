// The work of a session, taken from its slot once.
import { MachineFailed } from '../../domain/refusal.ts';
import type { Session } from '../../domain/sessions/session.ts';
import { treeOfCommit } from '../git/git.ts';
import { holdingOffGc } from '../git/hold-off-gc.ts';
import { pathText } from '../git/raw-path.ts';
import { changesBetween } from '../git/tree-changes.ts';
import { requireWhole, takeSlot } from '../slots/fill-slot.ts';
import { readSlotSession, workSlot } from '../slots/slot-pool.ts';
import type { ClaimedTask } from '../verify.ts';
import type { GateGround } from './slot-gates.ts';
import { readRef } from './trunk.ts';
import { readSessionWork, saveSessionWork, sessionRef, type WorkCommit } from './work-refs.ts';

type SlotSessionFields = Pick<Session, 'id' | 'base_commit'> & { slot?: number | null };
export type SlotClaim = Omit<ClaimedTask, 'session'> & { session: SlotSessionFields };

export type SlotWorkInput = {
  ground: Pick<GateGround, 'place' | 'rules'>;
  onWork(session_id: string, work: { commit: string; files: readonly string[] }): Promise<void>;
  onDefinitions(live: SlotClaim, files: readonly string[]): void;
};

/** From then on only the ref counts, whatever happens to the slot. */
export const workTaker = (input: SlotWorkInput) => {
  const { ground } = input;
  const repository = ground.place.repository;
  const taken = new Map<string, WorkCommit>();
  return async (live: SlotClaim): Promise<WorkCommit> => {
    const { id: session_id, base_commit: base, slot: number } = live.session;
    const before = taken.get(session_id);
    if (before !== undefined && (await readRef(repository, sessionRef(session_id))) === before.commit)
      return before;
    const known = await readSessionWork(repository, session_id);
    if (known !== null) return known;
    const slot = number === null || number === undefined ? null : workSlot(ground.place, number);
    const holder = slot === null ? null : await readSlotSession(slot);
    if (slot === null || base === null || holder?.session_id !== session_id)
      throw new MachineFailed(`The slot of session ${session_id.slice(0, 8)} no longer holds its files.`);
    const task_id = live.task.id;
    // Until a ref holds the tree.
    const work = await holdingOffGc(repository, async () => {
      const found = await takeSlot(slot, base, ground.rules.included);
      if (found.definitions.length > 0) input.onDefinitions(live, found.definitions);
      requireWhole(task_id, found, slot);
      return saveSessionWork(repository, { session_id, task_id, base, tree: found.tree });
    });
    const changes = await changesBetween(repository, await treeOfCommit(repository, base), work.tree);
    const files = changes.map(({ path }) => pathText(path));
    await input.onWork(session_id, { commit: work.commit, files });
    taken.set(session_id, work);
    return work;
  };
};

/** False if the session was killed before its slot was ready: then there is nothing to save. */
export async function hasWork(
  { ground }: Pick<SlotWorkInput, 'ground'>,
  { session: { id, slot } }: SlotClaim,
): Promise<boolean> {
  if ((await readSessionWork(ground.place.repository, id)) !== null) return true;
  const holder =
    slot === null || slot === undefined ? null : await readSlotSession(workSlot(ground.place, slot));
  return holder?.session_id === id;
}
