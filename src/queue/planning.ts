import type { RecipeName } from '../domain/context.ts';
import type { SessionEnd, Usage } from '../domain/session.ts';
import { appendEvents, lastEventOfSession } from '../store/events.ts';
import type { Queue } from './queue.ts';

export type PlanningRecord = {
  session_id: string;
  recipe: RecipeName;
  model: string;
  end: SessionEnd;
  usage: Usage;
  /** How much it proposed. */
  proposed: { features: number; added: number; changed: number };
};

/** A planning session has no task, so no row among the sessions: what it was and cost is this event. */
export function recordPlanning(queue: Queue, { session_id, ...data }: PlanningRecord): Promise<void> {
  const at = queue.now();
  return queue.store.write((db) => appendEvents(db, [{ at, kind: 'planning.ended', session_id, data }]));
}

/** Null for one that has not ended, or that there never was. */
export const planningOf = (
  queue: Queue,
  session_id: string,
): Promise<(Omit<PlanningRecord, 'session_id'> & { at: number }) | null> =>
  queue.store.read(async (db) => {
    const event = await lastEventOfSession(db, 'planning.ended', session_id);
    return event === null ? null : { ...(event.data as Omit<PlanningRecord, 'session_id'>), at: event.at };
  });
