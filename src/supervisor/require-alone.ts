import { Refusal } from '../domain/refusal.ts';
import type { Run } from '../domain/session.ts';
import { isAlive } from '../host/process-identity.ts';
import type { Queue } from '../queue/queue.ts';
import { status } from '../queue/status.ts';

/** The run that works on the queue, if there is one. */
export async function runningRun(queue: Queue): Promise<Run | null> {
  const { runs } = await status(queue);
  return runs.find((run) => run.kind === 'supervisor' && isAlive(run)) ?? null;
}

/** Two supervisors would fight over one work tree. */
export async function requireAlone(queue: Queue): Promise<void> {
  const other = await runningRun(queue);
  if (other === null) return;
  const since = new Date(other.started).toISOString();
  throw new Refusal(
    `Another ralph run is at work here: pid ${other.pid}, since ${since}. Wait for it, or end it first.`,
  );
}
