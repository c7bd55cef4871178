// The work of a session, taken from its slot once.
import type { DefinitionChange } from '../../domain/definition.ts';
import { MachineFailed } from '../../domain/refusal.ts';
import type { Session } from '../../domain/sessions/session.ts';
import { readSlotChanges } from '../definitions/proposals.ts';
import { requireWhole, takeSlot } from '../slots/fill-slot.ts';
import { readSlotSession, workSlot } from '../slots/slot-pool.ts';
import type { GateGround } from './slot-gates.ts';
import type { ClaimedTask } from './verifier.ts';
import { readSessionWork, type TakeInput, workTaker } from './work-refs.ts';

type SlotSessionFields = Pick<Session, 'id' | 'base_commit'> & { slot?: number | null };
export type SlotClaim = Omit<ClaimedTask, 'session'> & { session: SlotSessionFields };

export type SlotWorkInput = {
  ground: Pick<GateGround, 'place' | 'rules'>;
  onWork: TakeInput<SlotClaim>['onWork'];
  /** `changes`: of the definitions of this project, for the person to decide on. */
  onDefinitions(
    live: SlotClaim,
    files: readonly string[],
    changes: readonly DefinitionChange[],
  ): Promise<void>;
};

export const slotWorkTaker = ({ ground, onWork, onDefinitions }: SlotWorkInput) =>
  workTaker<SlotClaim>({
    repository: ground.place.repository,
    onWork,
    take: async (live) => {
      const { id: session_id, base_commit: base, slot: number } = live.session;
      const slot = number === null || number === undefined ? null : workSlot(ground.place, number);
      const holder = slot === null ? null : await readSlotSession(slot);
      if (slot === null || base === null || holder?.session_id !== session_id)
        throw new MachineFailed(`The slot of session ${session_id.slice(0, 8)} no longer holds its files.`);
      const taken = await takeSlot(slot, base, ground.rules.included);
      const { definitions } = taken;
      if (definitions.length > 0)
        await onDefinitions(live, definitions, await readSlotChanges(slot, base, definitions));
      requireWhole(live.task.id, taken, slot);
      return { base, tree: taken.tree };
    },
  });

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
