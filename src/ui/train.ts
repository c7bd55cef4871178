// The sessions that land one after another, in their order.
import type { RalphEvent } from '../domain/event.ts';
import type { ProcessIdentity, Session, TaskStage } from '../domain/sessions/session.ts';
import { changesSince, lastChangeId, type Queue } from '../queue/queue.ts';
import { listOpenRuns } from '../queue/sessions/runs.ts';
import { listSessions } from '../queue/sessions/sessions.ts';

/** Where a session works, and how far it has come; unknown for one in the person's own checkout. */
export type Stage = { slot?: number | null; phase?: 'working' | 'proving' | 'landing' | null };

/** `after`: the tasks that land before it. */
export type Landing = { task_id: number; title: string; after: readonly number[] };

export type LandingSession = Pick<Session, 'id' | 'task_id' | 'closing'> & Stage & { title: string };

/** A session that began to land longer ago than this many events is in front of all others. */
const RECENT_EVENTS = 1_000;

export async function readTrain(queue: Queue, sessions: readonly LandingSession[]): Promise<Landing[]> {
  const landing = sessions.filter(({ phase }) => phase === 'landing');
  const events =
    landing.length < 2 ? [] : await changesSince(queue, (await lastChangeId(queue)) - RECENT_EVENTS);
  return orderTrain(landing, events);
}

/** More sessions than a fleet has at once. */
const MAX_SESSIONS = 2_000;

/** Of the tasks whose session is at work, by task. */
export async function readStages(
  queue: Queue,
  isAlive: (identity: ProcessIdentity) => boolean,
): Promise<Map<number, TaskStage>> {
  const runs = new Set((await listOpenRuns(queue)).filter(isAlive).map(({ id }) => id));
  const { sessions } = await listSessions(queue, { isOpen: true }, MAX_SESSIONS);
  const atWork = sessions.filter(({ run_id }) => runs.has(run_id));
  const train = new Map((await readTrain(queue, atWork)).map(({ task_id, after }) => [task_id, after]));
  return new Map(
    atWork.map(({ task_id, slot, phase }) => [task_id, { slot, phase, after: train.get(task_id) ?? [] }]),
  );
}

/** `events`: oldest first. Without an event of its phase the end of a session's work decides. */
export function orderTrain(
  sessions: readonly LandingSession[],
  events: readonly Pick<RalphEvent, 'session_id' | 'data'>[],
): Landing[] {
  const entered = ({ id }: LandingSession): number =>
    events.findLastIndex((event) => event.session_id === id && isLanding(event.data));
  const order = [...sessions].sort(
    (one, other) => entered(one) - entered(other) || (one.closing ?? 0) - (other.closing ?? 0),
  );
  return order.map(({ task_id, title }, index) => ({
    task_id,
    title,
    after: order.slice(0, index).map((before) => before.task_id),
  }));
}

const isLanding = (data: unknown): boolean =>
  typeof data === 'object' && data !== null && 'phase' in data && data.phase === 'landing';
