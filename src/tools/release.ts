import { NO_USAGE } from '../domain/sessions/session.ts';
import type { Queue } from '../queue/queue.ts';
import { finish } from '../queue/sessions/finish.ts';
import { stopRun } from '../queue/sessions/runs.ts';
import { type ClientState, runExclusive } from './client-state.ts';
import type { ToolEffects } from './tool.ts';

/** The task goes back into the queue, at no cost to it, unless something was said of the work just before. */
export async function release(queue: Queue, desk: ClientState, machine: ToolEffects): Promise<void> {
  if (desk.held === null) return;
  const { session_id, run_id, task_id } = desk.held;
  desk.held = null;
  const end = { kind: 'infrastructure', fault: 'mcp_lost', resume_at: null } as const;
  const limits = await machine.limits();
  // Freed first: a client that leaves does not wait for its server.
  const { saveUnfinished: _, ...quick } = machine;
  const { status } = await finish(queue, {
    session_id,
    run_id,
    end,
    usage: NO_USAGE,
    machine: quick,
    limits,
  });
  if (status !== 'done') await machine.keepWork(session_id, task_id).catch(ignore);
}

/** The work lies in the tree in any case. */
const ignore = (): void => {};

/** The client is gone: what it is saying at this moment is heard out, what it held is free again, its run is over. */
export function leave(queue: Queue, desk: ClientState, machine: ToolEffects): Promise<void> {
  desk.isClosed = true;
  return runExclusive(desk, async () => {
    await release(queue, desk, machine);
    if (desk.run_id !== null) await stopRun(queue, desk.run_id, 'client left');
  }).finally(() => desk.heartbeat?.stop());
}
