// Answers an agent that says done: has its session changed a file at all?
import type { Session } from '../../domain/sessions/session.ts';
import { slotLooksUnchanged } from '../../host/slots/looks-unchanged.ts';
import type { SlotPlace } from '../../host/slots/slot.ts';
import { workSlot } from '../../host/slots/slot-pool.ts';
import { looksUnchanged } from '../../host/work/changed-work.ts';

/** False if Ralph cannot tell; the finish of the session looks again. */
export const sessionLooksUnchanged = (
  slots: SlotPlace,
  { id, slot }: Pick<Session, 'id' | 'slot'>,
): Promise<boolean> =>
  slot === null ? looksUnchanged(slots.repository, id) : slotLooksUnchanged(workSlot(slots, slot), id);
