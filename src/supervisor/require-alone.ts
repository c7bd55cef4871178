import { Refusal } from '../domain/refusal.ts';
import { isAlive } from '../host/process-identity.ts';
import type { Queue } from '../queue/queue.ts';
import { status } from '../queue/status.ts';

/** Two supervisors would fight over one work tree. */
export async function requireAlone(queue: Queue): Promise<void> {
  const { runs } = await status(queue);
  const other = runs.find((run) => run.kind === 'supervisor' && isAlive(run));
  if (other === undefined) return;
  const since = new Date(other.started).toISOString();
  throw new Refusal(
    `Another ralph run is at work here: pid ${other.pid}, since ${since}. Wait for it, or end it first.`,
  );
}
