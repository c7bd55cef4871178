// Answers an agent that says done: has its session changed a file at all?
import type { Session } from '../../domain/sessions/session.ts';
import { treeOfCommit } from '../../host/git/git.ts';
import { takeTree } from '../../host/git/work-tree.ts';
import { slotLooksUnchanged } from '../../host/slots/looks-unchanged.ts';
import type { SlotPlace } from '../../host/slots/slot.ts';
import { workSlot } from '../../host/slots/slot-pool.ts';

/** False if Ralph cannot tell; the finish of the session looks again. */
export async function sessionLooksUnchanged(
  slots: SlotPlace,
  { id, slot, base_commit }: Pick<Session, 'id' | 'slot' | 'base_commit'>,
): Promise<boolean> {
  if (slot !== null) return slotLooksUnchanged(workSlot(slots, slot), id);
  const taken = base_commit === null ? null : await takeTree(slots.repository);
  return taken !== null && taken.tree === (await treeOfCommit(slots.repository, base_commit));
}
