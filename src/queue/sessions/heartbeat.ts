// A run says every few seconds that it is alive, by renewing its lease. Where its pid cannot be looked up, this is the only sign.
import { LEASE_TIMES, type LeaseTimes } from '../../domain/sessions/liveness.ts';
import { renewLease } from '../../store/sessions/leases.ts';
import type { Queue } from '../queue.ts';

export type Heartbeat = {
  /** Resolves when no write is pending, so that the caller may close the database. */
  stop(): Promise<void>;
};

type LeaseListener = {
  /** The lease was renewed. */
  onRenewed?(): void;
  /** The database did not take the heartbeat. The next one may succeed. */
  onMissed?(error: unknown): void;
  /** The run has ended in the database: another run took over its sessions. */
  onLost?(): void;
};

/** Writes no event: only times change. It waits for no other write, so that a busy queue lets no lease run out. */
export const keepHeartbeat = (
  queue: Queue,
  run_id: number,
  { leaseMs, everyMs }: LeaseTimes = LEASE_TIMES,
  { onRenewed, onMissed, onLost }: LeaseListener = {},
): Heartbeat =>
  beatEvery(
    async () => {
      if (await queue.store.writeAside((db) => renewLease(db, run_id, leaseMs))) onRenewed?.();
      else onLost?.();
    },
    everyMs,
    onMissed,
  );

export function beatEvery(
  write: () => Promise<void>,
  everyMs: number = LEASE_TIMES.everyMs,
  onMissed: (error: unknown) => void = () => {},
): Heartbeat {
  let writing: Promise<void> | null = null;
  const timer = setInterval(() => {
    // A failed heartbeat does not end the run; the next one may succeed. One that hangs is not joined by others.
    writing ??= write()
      .catch(onMissed)
      .finally(() => {
        writing = null;
      });
  }, everyMs);
  timer.unref();
  return {
    stop: async () => {
      clearInterval(timer);
      await writing;
    },
  };
}
