// A run records every few seconds that it is alive. Where its pid cannot be looked up, this is the only sign.
import { HEARTBEAT_EVERY_MS } from '../../domain/sessions/liveness.ts';
import { setHeartbeat } from '../../store/sessions/sessions.ts';
import type { Queue } from '../queue.ts';

export type Heartbeat = {
  /** Resolves when no write is pending, so that the caller may close the database. */
  stop(): Promise<void>;
};

/** Writes no event: only the time changes. */
export const keepHeartbeat = (queue: Queue, run_id: number, everyMs?: number): Heartbeat =>
  beatEvery(() => queue.store.write((db) => setHeartbeat(db, run_id, queue.now())), everyMs);

export function beatEvery(write: () => Promise<void>, everyMs: number = HEARTBEAT_EVERY_MS): Heartbeat {
  let writing: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    // A failed heartbeat does not end the run; the next one may succeed.
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
