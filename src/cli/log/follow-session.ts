import { type FSWatcher, watch } from 'node:fs';
import { firstSignal } from '../../host/processes/lifetime.ts';
import { isAlive } from '../../host/processes/process-identity.ts';
import type { Queue } from '../../queue/queue.ts';
import { showSession } from '../../queue/sessions/sessions.ts';

/** Polled as well: gates write elsewhere and the end is in the database, so watching the folder misses both. */
const POLL_MS = 1_000;

export type SessionFollower = {
  /** Waits for something to read; true if nothing will follow it. */
  isLast(): Promise<boolean>;
  /** Why nothing more will come; null while more may come. */
  over(): 'ended' | 'abandoned' | 'interrupted' | null;
  close(): void;
};

export function followSession(queue: Queue, id: string, folder: string): SessionFollower {
  const changes = folderChanges(folder);
  let over: ReturnType<SessionFollower['over']> = null;
  let hasPolled = false;
  void firstSignal().then(() => {
    over = 'interrupted';
    changes.close();
  });
  return {
    isLast: async () => {
      if (hasPolled && over === null) await changes.next(POLL_MS);
      hasPolled = true;
      const { session, run } = await showSession(queue, id);
      if (session.ended !== null) over ??= 'ended';
      // Only the next run will end it.
      if (!isAlive(run)) over ??= 'abandoned';
      return over !== null;
    },
    over: () => over,
    close: () => changes.close(),
  };
}

type FolderChanges = {
  /** Resolves at the next change, at once if there was one since the last call, or after this time. */
  next(atMostMs: number): Promise<void>;
  close(): void;
};

/** Watches the folder and its direct entries. The folder may not exist yet. */
function folderChanges(folder: string): FolderChanges {
  let watcher: FSWatcher | null = null;
  let isChanged = false;
  let wake = (): void => {};

  function begin(): void {
    try {
      watcher = watch(folder, () => {
        isChanged = true;
        wake();
      });
      // If watching fails later, `next` falls back to its timeout, as for a folder that cannot be watched at all.
      watcher.on('error', () => watcher?.close());
    } catch {
      watcher = null;
    }
  }

  begin();
  return {
    next: async (atMostMs) => {
      if (watcher === null) begin();
      if (!isChanged)
        await new Promise<void>((over) => {
          const late = setTimeout(over, atMostMs);
          wake = () => {
            clearTimeout(late);
            over();
          };
        });
      isChanged = false;
    },
    close: () => {
      watcher?.close();
      wake();
    },
  };
}
