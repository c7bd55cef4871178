import { readRecord } from '../../app/database-address.ts';
import { requirePerson } from '../../app/definitions/consent.ts';
import type { CommandContext } from '../../app/world.ts';
import { Refusal, Unusable } from '../../domain/refusal.ts';
import { liveness } from '../../host/processes/process-identity.ts';
import { databasePath, type ProjectPlace } from '../../host/project.ts';
import { closeQueue, openQueue } from '../../queue/queue.ts';
import { listOpenRuns } from '../../queue/sessions/runs.ts';

/** While a run or a client works on the queue, a decision about its place would split it. */
export async function requireIdle(context: CommandContext, project: ProjectPlace): Promise<void> {
  let queue: Awaited<ReturnType<typeof openQueue>>;
  try {
    queue = await openQueue(readRecord(project.stateDir) ?? databasePath(project.stateDir));
  } catch (error) {
    // A database that cannot be reached has no run that a person could wait for.
    if (error instanceof Unusable || error instanceof Refusal) return;
    throw error;
  }
  try {
    await requirePerson(context, { queue, root: project.root }, 'decides where the queue is');
    const alive = (await listOpenRuns(queue)).find((run) => liveness(run) !== 'dead');
    if (alive !== undefined)
      throw new Refusal(
        `Process ${alive.pid} works on the queue${alive.host === null ? '' : ` on ${alive.host}`}; end it first.`,
      );
  } finally {
    await closeQueue(queue);
  }
}
