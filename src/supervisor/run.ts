// The state that all steps of one run share.
import { updateIndexForLastCommit } from '../host/commits/land.ts';
import type { Place } from '../host/git/own-git.ts';
import { identify, liveness } from '../host/processes/process-identity.ts';
import { catchHindrance } from '../queue/sessions/finish.ts';
import { type Heartbeat, keepHeartbeat } from '../queue/sessions/heartbeat.ts';
import { startRunAlone, stopRun } from '../queue/sessions/runs.ts';
import type { Agent } from './agents/agent.ts';
import { findAgent } from './agents/index.ts';
import { type DeferredWrites, openDeferredWrites } from './deferred-writes.ts';
import type { SupervisorEvent, SupervisorInput } from './input.ts';
import { createPauses, type Pauses } from './pauses.ts';
import { type BaselineCheck, createBaselineCheck } from './red-baseline.ts';
import { Stagnation } from './stagnation.ts';
import type { Stop } from './stop.ts';
import { type TamperDetector, watchForTampering } from './tampering.ts';
import { type WrittenElsewhere, watchWrittenElsewhere } from './written-elsewhere.ts';

export type Run = {
  readonly id: number;
  readonly input: SupervisorInput;
  readonly place: Place;
  readonly agent: Agent;
  readonly limits: { max_attempts: number; stuck: number };
  readonly tampering: TamperDetector;
  readonly stagnation: Stagnation;
  readonly elsewhere: WrittenElsewhere;
  readonly baseline: BaselineCheck;
  readonly pauses: Pauses;
  readonly writes: DeferredWrites;
  readonly heartbeat: Heartbeat;
  /** Tells an event at most once a run, however often it happens. */
  tellOnce(event: SupervisorEvent): void;
};

export async function openRun(input: SupervisorInput): Promise<Run> {
  const { queue, root, stateDir, env, config, wait, tell } = input;
  const agent = findAgent(config);
  const tampering = await watchForTampering(input);
  const id = await startRunAlone(queue, identify(process.pid), liveness);
  const elsewhere = watchWrittenElsewhere(input);
  const tellOnce = once(tell);
  const patience = (minutes: number): number => (wait.enabled ? Number.POSITIVE_INFINITY : minutes * 60_000);
  return {
    id,
    input,
    place: { root, env, stateDir },
    agent,
    limits: { max_attempts: config.max_attempts, stuck: config.limits.stuck },
    tampering,
    stagnation: new Stagnation(config.limits.stagnation),
    elsewhere,
    baseline: createBaselineCheck({ ...input, tellOnce }, agent, tampering, elsewhere, id),
    pauses: createPauses({
      now: queue.now,
      pauseMs: wait.pauseMs,
      outageMs: patience(config.limits.outage_minutes),
      briefMs: patience(config.limits.brief_minutes),
    }),
    writes: openDeferredWrites(input, (reason) => tell({ kind: 'refused', reason })),
    heartbeat: keepHeartbeat(queue, id),
    tellOnce,
  };
}

export async function closeRun({ id, input, place, writes }: Run, stop: Stop): Promise<void> {
  await writes.journalWritten();
  // A person's git may have locked the index. Without this their next commit would undo the last task's.
  await catchHindrance(() => updateIndexForLastCommit(place));
  await stopRun(input.queue, id, stop.reason);
}

/** The reason for an unsigned commit may differ from commit to commit; telling the first is enough. */
function once(tell: (event: SupervisorEvent) => void): (event: SupervisorEvent) => void {
  const keys = new Set<string>();
  return (event) => {
    const key = event.kind === 'unsigned' ? event.kind : JSON.stringify(event);
    if (!keys.has(key)) tell(event);
    keys.add(key);
  };
}
