// Machines that land on one branch take turns. The push, which expects the old tip, keeps the branch right even without turns.
// But the machine that comes second would have run its gates for nothing.
import { enterLine, landingLine, leaveLine } from '../../store/sessions/landing-line.ts';
import type { Queue } from '../queue.ts';

export const waitInLine = (queue: Queue, session_id: string): Promise<void> =>
  queue.store.write((db) => enterLine(db, session_id));

/** A run without a lease holds up no other run. A session that is not in the line may land: nothing orders it. */
export const isNextInLine = (queue: Queue, session_id: string): Promise<boolean> =>
  queue.store.read(async (db) => {
    const line = await landingLine(db);
    if (!line.some((place) => place.session_id === session_id)) return true;
    return line.find((place) => place.isHeld || place.session_id === session_id)?.session_id === session_id;
  });

export const leaveTheLine = (queue: Queue, session_id: string): Promise<void> =>
  queue.store.write((db) => leaveLine(db, session_id));
