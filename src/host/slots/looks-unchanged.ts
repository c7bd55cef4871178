import { rm } from 'node:fs/promises';
import { treeOfCommit } from '../git/git.ts';
import { copyIndex, newScratchFile, scratchFolder } from '../git/own-git.ts';
import { takeSlot } from './fill-slot.ts';
import { includedFiles } from './include-files.ts';
import type { Slot } from './slot.ts';
import { readSlotSession } from './slot-pool.ts';

/** Whether the session has changed no file of its slot. False if the slot holds another session's files: Ralph cannot tell. */
export async function slotLooksUnchanged(slot: Slot, session_id: string): Promise<boolean> {
  const { repository } = slot;
  const holder = await readSlotSession(slot);
  if (holder?.session_id !== session_id) return false;
  // An index of its own: the supervisor may take the slot at the same time.
  const index = await newScratchFile(scratchFolder(repository));
  try {
    // Otherwise git would have to read every file of the slot.
    await copyIndex(slot.index, index);
    const { tree } = await takeSlot({ ...slot, index }, holder.base, await includedFiles(repository));
    return tree === (await treeOfCommit(repository, holder.base));
  } finally {
    await rm(index, { force: true });
  }
}
