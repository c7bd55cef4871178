import type { RalphEvent } from '../domain/event.ts';
import { eventsAfter, lastEventId } from '../store/events.ts';
import type { Queue } from './queue.ts';

/** What has happened since, whoever did it: this process or another. */
export const changesSince = (queue: Queue, id: number): Promise<RalphEvent[]> =>
  queue.store.read((db) => eventsAfter(db, id));

export const lastChange = (queue: Queue): Promise<number> => queue.store.read(lastEventId);
