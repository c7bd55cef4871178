import { NO_USAGE } from '../domain/sessions/session.ts';
import type { Queue } from '../queue/queue.ts';
import { finish } from '../queue/sessions/finish.ts';
import { stopRun } from '../queue/sessions/runs.ts';
import { type ClientState, runExclusive } from './client-state.ts';
import type { ToolEffects } from './tool.ts';

/** Puts the task back into the queue without counting a try, unless the client has sent a closing verb already. */
export async function release(queue: Queue, client: ClientState, effects: ToolEffects): Promise<void> {
  if (client.held_task === null) return;
  const { session_id, run_id, task_id } = client.held_task;
  client.held_task = null;
  const end = { kind: 'infrastructure', fault: 'mcp_lost', resume_at: null } as const;
  const limits = await effects.limits();
  // The task is freed before the work is saved: a client that leaves does not wait for its server.
  const { saveUnfinished: _, ...quick } = effects;
  const { status } = await finish(queue, {
    session_id,
    run_id,
    end,
    usage: NO_USAGE,
    machine: quick,
    limits,
  });
  if (status !== 'done') await effects.keepWork(session_id, task_id).catch(ignore);
}

/** A failure to save loses nothing: the work is still in the tree. */
const ignore = (): void => {};

/** The client has left: its running call ends first, then its task is released and its run stops. */
export function leave(queue: Queue, client: ClientState, effects: ToolEffects): Promise<void> {
  client.isClosed = true;
  return runExclusive(client, async () => {
    await release(queue, client, effects);
    if (client.run_id !== null) await stopRun(queue, client.run_id, 'client left');
  }).finally(() => client.heartbeat?.stop());
}
