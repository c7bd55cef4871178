// Where a session works and how far it is, for people who watch a run and for the run that recovers it.
import type { SessionPhase } from '../../domain/sessions/session.ts';
import { appendEvents } from '../../store/events.ts';
import { findSession, updatePhase, updateWork } from '../../store/sessions/sessions.ts';
import { insertWrittenFiles } from '../../store/tasks/written-files.ts';
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

/** `files`: what the session changed, so that no task that changes the same runs beside this one later. Writes no event. */
export const recordWork = (
  queue: Queue,
  session_id: string,
  { commit, files }: { commit: string; files: readonly string[] },
): Promise<void> =>
  queue.store.write(async (db) => {
    await updateWork(db, session_id, { work_commit: commit });
    await insertWrittenFiles(db, session_id, files);
  });
