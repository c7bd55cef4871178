import { closeToSignals } from '../store/sessions/sessions.ts';
import type { Queue } from './queue.ts';

/** Its agent was told to end: what it says after this moment does not count. */
export const stopListening = (queue: Queue, session_id: string, at: number): Promise<void> =>
  queue.store.write((db) => closeToSignals(db, session_id, at));
