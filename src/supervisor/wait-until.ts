import { setTimeout as pause } from 'node:timers/promises';
import { type AgentFault, failureBy } from '../domain/sessions/agent-failure.ts';
import { saveResume } from '../queue/sessions/runs.ts';
import type { SupervisorInput } from './input.ts';
import type { Pause } from './pauses.ts';

/** Looked at now and then: a machine that slept wakes up late, and a person may want to stop. */
const LOOK_EVERY_MS = 1_000;

/** Said to whoever looks on; a limit is stored for other processes, too. */
export async function waitUntil(
  { queue, stop, tell }: Pick<SupervisorInput, 'queue' | 'stop' | 'tell'>,
  run_id: number,
  { until, fault }: { until: number; fault: AgentFault | null },
): Promise<void> {
  tell({ kind: 'waiting', until, fault });
  // An outage is over when the next try succeeds: a later run need not wait for it.
  if (failureBy(fault)?.policy !== 'outage') await saveResume(queue, run_id, until);
  while (queue.now() < until && !stop.after.aborted)
    await pause(Math.min(LOOK_EVERY_MS, until - queue.now()));
}

/** True when it has passed, as far as anybody can tell: limits are waited for only where the person asked for that. */
export async function waitOut(
  input: Pick<SupervisorInput, 'queue' | 'stop' | 'tell' | 'wait'>,
  run_id: number,
  pause: Pause | null,
): Promise<boolean> {
  if (pause === null || pause.until === null || input.stop.after.aborted) return false;
  if (!input.wait.is && failureBy(pause.fault)?.policy !== 'outage') return false;
  await waitUntil(input, run_id, { until: pause.until, fault: pause.fault });
  return !input.stop.after.aborted;
}
