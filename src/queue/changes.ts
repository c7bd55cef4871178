import type { RalphEvent } from '../domain/event.ts';
import { eventsAfter, lastEventId } from '../store/events.ts';
import { closeToSignals } from '../store/sessions/sessions.ts';
import type { Queue } from './queue.ts';

/** What has happened since, whoever did it: this process or another. */
export const changesSince = (queue: Queue, id: number): Promise<RalphEvent[]> =>
  queue.store.read((db) => eventsAfter(db, id));

export const lastChange = (queue: Queue): Promise<number> => queue.store.read(lastEventId);

/** Its agent was told to end: what it says after this moment does not count. */
export const stopListening = (queue: Queue, session_id: string, at: number): Promise<void> =>
  queue.store.write((db) => closeToSignals(db, session_id, at));
