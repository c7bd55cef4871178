// Lets one process at a time land. Compare-and-swap keeps the trunk right without it; but the second process would have run
// its gates for nothing.
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Place } from '../git/own-git.ts';
import { dropLock, takeLock } from '../processes/lock-file.ts';
import type { Train } from './train.ts';

const LOOK_EVERY_MS = 50;

export const landingLock = ({ stateDir }: Pick<Place, 'stateDir'>): string => join(stateDir, 'landing.lock');

/** `stop`: a session that is stopped waits for no other process. */
export function withLandingLock(train: Train, file: string, stop: AbortSignal): Train {
  const entered = new Set<string>();
  let holder: string | null = null;
  const drop = (): void => {
    holder = null;
    dropLock(file);
  };
  return {
    ...train,
    enter: async (session_id, task_id) => {
      entered.add(session_id);
      await train.enter(session_id, task_id);
      while (holder !== session_id && entered.has(session_id) && !stop.aborted) {
        if (await takeLock(file)) holder = session_id;
        else await pause(LOOK_EVERY_MS);
      }
      // It left while it waited.
      if (holder === session_id && !entered.has(session_id)) drop();
    },
    leave: (session_id) => {
      entered.delete(session_id);
      if (holder === session_id) drop();
      train.leave(session_id);
    },
  };
}
