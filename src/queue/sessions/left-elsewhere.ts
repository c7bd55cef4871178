import type { ProcessIdentity, Session } from '../../domain/sessions/session.ts';
import { type WorkTrees, whereLeft } from '../../domain/sessions/work-tree.ts';
import type { Queue } from '../queue.ts';
import { deadRuns } from './dead-runs.ts';

/** Sessions of dead runs that only a `ralph run` in another work tree can finish. */
export async function leftElsewhere(
  queue: Queue,
  isAlive: (identity: ProcessIdentity) => boolean,
  trees: WorkTrees,
): Promise<Session[]> {
  const { sessions } = await deadRuns(queue, isAlive);
  return sessions.filter((session) => whereLeft(session, trees) === 'elsewhere');
}
