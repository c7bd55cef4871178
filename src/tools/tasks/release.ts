import { NO_USAGE } from '../../domain/sessions/session.ts';
import type { Queue } from '../../queue/queue.ts';
import { type FinishInput, finish } from '../../queue/sessions/finish.ts';
import { stopRun } from '../../queue/sessions/runs.ts';
import { type ClientState, runExclusive } from '../client-state.ts';
import type { ToolEffects } from '../tool.ts';

/**
 * Puts the task back into the queue without counting a try, unless the client has sent a closing verb already. The work is saved
 * first: once the session is over, others may use its slot.
 */
export async function release(
  queue: Queue,
  client: ClientState,
  effects: ToolEffects,
  /** What failed before the client could begin. */
  hindrance: FinishInput['hindrance'] = null,
): Promise<void> {
  if (client.held_task === null) return;
  const { session_id, run_id, place } = client.held_task;
  client.held_task = null;
  const end = { kind: 'infrastructure', fault: 'mcp_lost', resume_at: null } as const;
  try {
    const limits = await effects.limits();
    const session = { session_id, run_id, end, usage: NO_USAGE, hindrance };
    await finish(queue, { ...session, effects: place.effects, limits });
  } finally {
    await place.end();
  }
}

/** The client has left: its running call ends first, then its task is released and its run stops. */
export function leave(queue: Queue, client: ClientState, effects: ToolEffects): Promise<void> {
  client.isClosed = true;
  return runExclusive(client, async () => {
    await release(queue, client, effects);
    if (client.run_id !== null) await stopRun(queue, client.run_id, 'client left');
  }).finally(() => client.heartbeat?.stop());
}
