import type { ProcessIdentity, Run, Session } from '../../domain/sessions/session.ts';
import { openRuns, openSessions } from '../../store/sessions/sessions.ts';
import type { Queue } from '../queue.ts';

/** Runs that nobody has declared ended and whose process is gone, and the sessions they had. */
export async function deadRuns(
  queue: Queue,
  isAlive: (identity: ProcessIdentity) => boolean,
): Promise<{ runs: Run[]; sessions: Session[] }> {
  const open = await queue.store.read(async (db) => ({
    runs: await openRuns(db),
    sessions: await openSessions(db),
  }));
  return {
    runs: open.runs.filter((run) => !isAlive(run)),
    sessions: open.sessions.filter(({ owner }) => !isAlive(owner)).map(({ session }) => session),
  };
}
