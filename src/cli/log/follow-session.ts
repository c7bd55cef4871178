import { folderChanges } from '../../files/watch-files.ts';
import { firstSignal } from '../../host/processes/lifetime.ts';
import { isAlive } from '../../host/processes/process-identity.ts';
import type { Queue } from '../../queue/queue.ts';
import { showSession } from '../../queue/sessions/sessions.ts';

/** Its gates write elsewhere and its end is in the database: neither is heard of by watching its folder. */
const LOOK_EVERY_MS = 1_000;

export type SessionFollower = {
  /** Waits for something to read, and says whether it is the last. */
  isLast(): Promise<boolean>;
  /** Why there is no more; null while there may be. */
  over(): 'ended' | 'abandoned' | 'interrupted' | null;
  close(): void;
};

export function followSession(queue: Queue, id: string, folder: string): SessionFollower {
  const changes = folderChanges(folder);
  let over: ReturnType<SessionFollower['over']> = null;
  let hasLooked = false;
  void firstSignal().then(() => {
    over = 'interrupted';
    changes.close();
  });
  return {
    isLast: async () => {
      if (hasLooked && over === null) await changes.next(LOOK_EVERY_MS);
      hasLooked = true;
      const { session, run } = await showSession(queue, id);
      if (session.ended !== null) over ??= 'ended';
      // Nobody will end it but the next run.
      if (!isAlive(run)) over ??= 'abandoned';
      return over !== null;
    },
    over: () => over,
    close: () => changes.close(),
  };
}
