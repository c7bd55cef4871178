import { Refusal } from '../../domain/refusal.ts';
import type { GateResult } from '../../domain/sessions/gate.ts';
import type { Run, Session } from '../../domain/sessions/session.ts';
import type { Signal } from '../../domain/sessions/signal.ts';
import { type NumberedTry, numberTries } from '../../domain/tasks/tries.ts';
import { gateRunsOfSession } from '../../store/sessions/gate-runs.ts';
import {
  type ListedSession,
  latestSessions,
  type SessionFilter,
  sessionIdsStarting,
} from '../../store/sessions/session-list.ts';
import { findSession, sessionsOfTask } from '../../store/sessions/sessions.ts';
import { signalsOfSession } from '../../store/sessions/signals.ts';
import type { Queue } from '../queue.ts';
import { requireRun, requireTask } from '../require.ts';

export type { ListedSession, SessionFilter };

export const listSessions = (
  queue: Queue,
  filter: SessionFilter,
  limit: number,
  /** How many of the newest to skip. */
  offset = 0,
): Promise<{ sessions: ListedSession[]; total: number }> =>
  queue.store.read(async (db) => {
    if (filter.run_id !== undefined) await requireRun(db, filter.run_id);
    if (filter.task_id !== undefined) await requireTask(db, filter.task_id);
    return latestSessions(db, filter, limit, offset);
  });

/** Finds a session by its whole id, or by a unique beginning of it. */
export async function resolveSessionId(queue: Queue, name: string): Promise<string> {
  const ids = /^[\w-]+$/.test(name) ? await queue.store.read((db) => sessionIdsStarting(db, name)) : [];
  const [first, second] = ids;
  if (first === undefined) throw new Refusal(`There is no session "${name}"; ralph log lists all sessions.`);
  // Sorted by id: an exact match comes before longer ids that begin with it.
  if (second !== undefined && first !== name)
    throw new Refusal(`"${name}" is ambiguous: it matches ${first} and ${second}; give more characters.`);
  return first;
}

export type SessionDetails = {
  session: NumberedTry<Session>;
  /** The run that works, or worked, on the session. */
  run: Run;
  title: string;
  signals: Signal[];
  gates: GateResult[];
};

export const showSession = (queue: Queue, id: string): Promise<SessionDetails> =>
  queue.store.read(async (db) => {
    const session = await findSession(db, id);
    if (session === null) throw new Refusal(`There is no session ${id}.`);
    const numbered = numberTries(await sessionsOfTask(db, session.task_id)).find((one) => one.id === id);
    return {
      session: numbered ?? { ...session, try: session.token },
      run: await requireRun(db, session.run_id),
      title: (await requireTask(db, session.task_id)).title,
      signals: (await signalsOfSession(db, id)).map(({ signal }) => signal),
      gates: await gateRunsOfSession(db, id),
    };
  });

/** The model that the agent of the task's last session requested. */
export const requestedModel = (queue: Queue, task_id: number): Promise<string | null> =>
  queue.store.read(async (db) => {
    const ended = (await sessionsOfTask(db, task_id)).filter((session) => session.ended !== null);
    return ended.at(-1)?.next_model ?? null;
  });

/** True for a session that Ralph has settled, or does not know. */
export const isSessionOver = (queue: Queue, id: string): Promise<boolean> =>
  queue.store.read(async (db) => {
    const session = await findSession(db, id);
    return session === null || session.ended !== null;
  });
