import type { RecipeName } from '../../domain/context.ts';
import type { SessionEnd, Usage } from '../../domain/sessions/session.ts';
import { appendEvents, latestEvents } from '../../store/events.ts';
import type { Queue } from '../queue.ts';

export type PlanningRecord = {
  session_id: string;
  recipe: RecipeName;
  model: string;
  end: SessionEnd;
  usage: Usage;
  /** The size of its proposal. */
  proposed: { features: number; added: number; changed: number };
};

/** A planning session has no task, and so no row in `sessions`: this event holds its data and cost. */
export function recordPlanning(queue: Queue, { session_id, ...data }: PlanningRecord): Promise<void> {
  const at = queue.now();
  return queue.store.write((db) => appendEvents(db, [{ at, kind: 'planning.ended', session_id, data }]));
}

export type EndedPlanning = PlanningRecord & { at: number };

/** The latest planning sessions, oldest first; `session_id`: only this one. */
export const listPlanningSessions = (
  queue: Queue,
  limit: number,
  session_id?: string,
): Promise<EndedPlanning[]> =>
  queue.store.read(async (db) => {
    const filter = { kind: 'planning.ended' as const, ...(session_id !== undefined && { session_id }) };
    const events = await latestEvents(db, filter, limit);
    return events.map(({ at, session_id: id, data }) => ({
      ...(data as Omit<PlanningRecord, 'session_id'>),
      session_id: id ?? '',
      at,
    }));
  });
