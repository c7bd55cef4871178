// A run writes every few seconds that it is alive: where its pid cannot be looked up, nothing else says so.
import { HEARTBEAT_EVERY_MS } from '../../domain/sessions/liveness.ts';
import { setHeartbeat } from '../../store/sessions/sessions.ts';
import type { Queue } from '../queue.ts';

export type Heartbeat = {
  /** Fulfilled when no beat is being written any more, so that the database may be closed. */
  stop(): Promise<void>;
};

/** No event: nothing has changed but the time. */
export const keepHeartbeat = (queue: Queue, run_id: number, everyMs?: number): Heartbeat =>
  beatEvery(() => queue.store.write((db) => setHeartbeat(db, run_id, queue.now())), everyMs);

export function beatEvery(write: () => Promise<void>, everyMs: number = HEARTBEAT_EVERY_MS): Heartbeat {
  let writing: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    // The next beat may do better; a run does not end because its heartbeat could not be written.
    writing = writing.then(write).catch(() => {});
  }, everyMs);
  timer.unref();
  return {
    stop: async () => {
      clearInterval(timer);
      await writing;
    },
  };
}
