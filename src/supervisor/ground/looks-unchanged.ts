// Answers an agent that says done: has its session changed a file at all?
import type { Session } from '../../domain/sessions/session.ts';
import { treeOfCommit } from '../../host/git/git.ts';
import { takeTree } from '../../host/git/work-tree.ts';
import { peekSlot } from '../../host/slots/fill-slot.ts';
import { includedFiles } from '../../host/slots/include-files.ts';
import type { Slot, SlotPlace } from '../../host/slots/slot.ts';
import { readSlotSession, workSlot } from '../../host/slots/slot-pool.ts';

/** False if Ralph cannot tell; the finish of the session looks again. */
export async function sessionLooksUnchanged(
  slots: SlotPlace,
  { id, slot, base_commit }: Pick<Session, 'id' | 'slot' | 'base_commit'>,
): Promise<boolean> {
  if (slot !== null) return slotLooksUnchanged(workSlot(slots, slot), id);
  const taken = base_commit === null ? null : await takeTree(slots.repository);
  return taken !== null && taken.tree === (await treeOfCommit(slots.repository, base_commit));
}

/** Whether the session has changed no file of its slot. False if the slot holds another session's files: Ralph cannot tell. */
async function slotLooksUnchanged(slot: Slot, session_id: string): Promise<boolean> {
  const { repository } = slot;
  const holder = await readSlotSession(slot);
  if (holder?.session_id !== session_id) return false;
  const { tree } = await peekSlot(slot, holder.base, await includedFiles(repository));
  return tree === (await treeOfCommit(repository, holder.base));
}
