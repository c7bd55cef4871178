import { Refusal } from '../../domain/refusal.ts';
import type { Session, SessionPhase } from '../../domain/sessions/session.ts';
import type { Reader, Writer } from '../../store/database.ts';
import { appendEvents } from '../../store/events.ts';
import { closeToSignals, findSession, updatePhase, updateWork } from '../../store/sessions/sessions.ts';
import { findTask, type StoredTask } from '../../store/tasks/tasks.ts';
import { insertWrittenFiles } from '../../store/tasks/written-files.ts';
import type { Queue } from '../queue.ts';

export type LiveSession = { session: Session; task: StoredTask };

/** The session no longer holds its task. */
export class LostSession extends Refusal {}

/** Null if there is no such session. */
export async function taskOfSession(db: Reader, session_id: string): Promise<StoredTask | null> {
  const session = await findSession(db, session_id);
  return session === null ? null : findTask(db, session.task_id);
}

/** Why Ralph accepts no more signals of a session. */
export async function explainLostSession(db: Reader, sessionId: string): Promise<Refusal> {
  const session = await findSession(db, sessionId);
  if (session === null) return noSession(sessionId);
  const task = await findTask(db, session.task_id);
  const isHeld = task?.status === 'in_progress' && task.token === session.token;
  return isHeld
    ? new LostSession(`Session ${sessionId} is being settled. Stop; nothing was changed.`)
    : lost(sessionId, session.task_id);
}

const noSession = (id: string): Refusal => new Refusal(`There is no session ${id}; nothing was changed.`);

const lost = (id: string, task_id: number): LostSession =>
  new LostSession(
    `Session ${id} no longer holds task ${task_id}: it was settled or claimed anew. Stop; nothing was changed.`,
  );

/** The guard against zombies: a session speaks for its task only while it holds the task's newest token. */
export async function requireLive(db: Reader, sessionId: string): Promise<LiveSession> {
  const session = await findSession(db, sessionId);
  if (session === null) throw noSession(sessionId);
  const task = await findTask(db, session.task_id);
  if (task === null || task.status !== 'in_progress' || task.token !== session.token)
    throw lost(sessionId, session.task_id);
  return { session, task };
}

/** For the run that finishes the session: if another run adopted the session, this run has lost it. */
export async function requireHeld(db: Reader, sessionId: string, run_id: number): Promise<LiveSession> {
  const live = await requireLive(db, sessionId);
  if (live.session.run_id === run_id) return live;
  throw new LostSession(
    `Session ${sessionId} was taken over by run ${live.session.run_id}. Stop; nothing was changed.`,
  );
}

/** The supervisor has told the agent to end: its later signals do not count. */
export const stopListening = (queue: Queue, session_id: string, at: number): Promise<void> =>
  queue.store.write((db) => closeToSignals(db, session_id, at));

// Where a session works and how far it is, for people who watch a run and for the run that recovers it.

export function setPhase(queue: Queue, session_id: string, phase: SessionPhase): Promise<void> {
  const at = queue.now();
  return queue.store.write((db) => enterPhase(db, session_id, phase, at));
}

export async function enterPhase(
  db: Writer,
  session_id: string,
  phase: SessionPhase,
  at: number,
): Promise<void> {
  if (!(await updatePhase(db, session_id, phase))) return;
  const session = await findSession(db, session_id);
  if (session === null) return;
  const { task_id, run_id, slot } = session;
  await appendEvents(db, [{ at, kind: 'session.phase', task_id, session_id, run_id, data: { phase, slot } }]);
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
