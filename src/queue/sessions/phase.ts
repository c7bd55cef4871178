// Where a session works and how far it is, for people who watch a run and for the run that recovers it.
import type { Session, SessionPhase } from '../../domain/sessions/session.ts';
import { appendEvents } from '../../store/events.ts';
import { findSession, openSessions, updatePhase, updateWork } from '../../store/sessions/sessions.ts';
import type { Queue } from '../queue.ts';

export function setPhase(queue: Queue, session_id: string, phase: SessionPhase): Promise<void> {
  const at = queue.now();
  return queue.store.write(async (db) => {
    if (!(await updatePhase(db, session_id, phase))) return;
    const session = await findSession(db, session_id);
    if (session === null) return;
    const { task_id, run_id, slot } = session;
    await appendEvents(db, [
      { at, kind: 'session.phase', task_id, session_id, run_id, data: { phase, slot } },
    ]);
  });
}

/** Writes no event: the first phase tells the slot. */
export const recordSlot = (
  queue: Queue,
  session_id: string,
  { slot, base_commit }: { slot: number; base_commit: string },
): Promise<void> => queue.store.write((db) => updateWork(db, session_id, { slot, base_commit }));

/** Writes no event: nobody but a recovery looks for the commit. */
export const recordWork = (queue: Queue, session_id: string, work_commit: string): Promise<void> =>
  queue.store.write((db) => updateWork(db, session_id, { work_commit }));

/** The open sessions, oldest first. */
export const sessionsAtWork = (queue: Queue): Promise<Session[]> =>
  queue.store.read(async (db) => (await openSessions(db)).map(({ session }) => session));
