import { Refusal } from '../../domain/refusal.ts';
import type { Session } from '../../domain/sessions/session.ts';
import type { Reader } from '../../store/database.ts';
import { findSession } from '../../store/sessions/sessions.ts';
import { findTask, type StoredTask } from '../../store/tasks/tasks.ts';

export type LiveSession = { session: Session; task: StoredTask };

/** The session's task is somebody else's by now, or nobody's. */
export class LostSession extends Refusal {}

/** Null where there is no such session. */
export async function taskOfSession(db: Reader, session_id: string): Promise<StoredTask | null> {
  const session = await findSession(db, session_id);
  return session === null ? null : findTask(db, session.task_id);
}

/** Why a session may not speak any more. */
export async function whyNotSpeaking(db: Reader, sessionId: string): Promise<Refusal> {
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

/** The same for the run that finishes it: one whose session was adopted by another run has lost it. */
export async function requireHeld(db: Reader, sessionId: string, run_id: number): Promise<LiveSession> {
  const live = await requireLive(db, sessionId);
  if (live.session.run_id === run_id) return live;
  throw new LostSession(
    `Session ${sessionId} was taken over by run ${live.session.run_id}. Stop; nothing was changed.`,
  );
}
