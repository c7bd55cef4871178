import type { ProcessIdentity } from '../../domain/sessions/session.ts';
import type { Queue } from '../queue.ts';
import { deadRuns } from '../sessions/runs.ts';

/** Tasks that are in progress while nobody is at them: the process of their session is gone, and no run has finished it yet. */
export async function orphanedTasks(
  queue: Queue,
  isAlive: (identity: ProcessIdentity) => boolean,
): Promise<ReadonlySet<number>> {
  const { sessions } = await deadRuns(queue, isAlive);
  return new Set(sessions.map(({ task_id }) => task_id));
}
