import { treeOfCommit } from '../git/git.ts';
import { peekSlot } from './fill-slot.ts';
import { includedFiles } from './include-files.ts';
import type { Slot } from './slot.ts';
import { readSlotSession } from './slot-pool.ts';

/** Whether the session has changed no file of its slot. False if the slot holds another session's files: Ralph cannot tell. */
export async function slotLooksUnchanged(slot: Slot, session_id: string): Promise<boolean> {
  const { repository } = slot;
  const holder = await readSlotSession(slot);
  if (holder?.session_id !== session_id) return false;
  const { tree } = await peekSlot(slot, holder.base, await includedFiles(repository));
  return tree === (await treeOfCommit(repository, holder.base));
}
