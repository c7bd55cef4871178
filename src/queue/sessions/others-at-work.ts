import { openSessions } from '../../store/sessions/sessions.ts';
import type { Queue } from '../queue.ts';

/** Whether another session of this work tree is open, also one that a dead run has left there. */
export const othersAtWork = (queue: Queue, session_id: string, root: string): Promise<boolean> =>
  queue.store.read(async (db) =>
    (await openSessions(db)).some(
      ({ session }) => session.id !== session_id && (session.root === null || session.root === root),
    ),
  );
