// Removes slots that no process uses. A slot is locked meanwhile, so that no run begins to use it.
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { diskUse } from './disk-use.ts';
import { removeSlot } from './fill-slot.ts';
import type { Slot, SlotPlace } from './slot.ts';
import { listSlots, lockSlot, readSlotSession, releaseSlot } from './slot-pool.ts';

/** A slot that was used lately saves the next run its setup. */
export const WARM_MS = 24 * 3_600_000;

/** `isOver`: whether a session that left its files in the slot needs them no more. Null if the slot has to stay. */
export async function cleanSlot(
  slot: Slot,
  isOver: (session_id: string) => Promise<boolean>,
): Promise<{ bytes: number } | null> {
  if (!(await lockSlot(slot))) return null;
  try {
    const session = await readSlotSession(slot);
    if (session !== null && !(await isOver(session.session_id))) return null;
    const bytes = await diskUse(slot.folder);
    await removeSlot(slot);
    for (const beside of ['session', 'stamp', 'manifest', 'size', 'setup.log'])
      await rm(`${slot.folder}.${beside}`, { force: true });
    return { bytes };
  } finally {
    await releaseSlot(slot);
  }
}

/** Removes the slots that a run with so many sessions and gates at once does not use, if nothing has used them for a day. */
export async function cleanSpareSlots(
  place: SlotPlace,
  counts: Readonly<Record<Slot['kind'], number>>,
  now: number,
  isOver: (session_id: string) => Promise<boolean>,
): Promise<void> {
  for (const { nth, slot, last_used } of await listSlots(place))
    if (nth > counts[slot.kind] && now - last_used >= WARM_MS) await cleanSlot(slot, isOver);
}

/** What an earlier removal could not remove, or did not finish. Returns the bytes that are free now. */
export async function cleanLeftovers({ folder }: SlotPlace): Promise<number> {
  let freed = 0;
  for (const name of await readdir(folder).catch(() => [])) {
    if (!/^(work|gates)-\d+\.removed-/.test(name)) continue;
    const path = join(folder, name);
    const before = await diskUse(path);
    await rm(path, { recursive: true, force: true }).catch(() => {});
    freed += before - (await diskUse(path));
  }
  return freed;
}
