// One run: what its steps share from its first moment to its last.
import { tellIndexOfLast } from '../host/commits/land.ts';
import type { Place } from '../host/git/own-git.ts';
import { identify, liveness } from '../host/processes/process-identity.ts';
import { catchHindrance } from '../queue/sessions/finish.ts';
import { type Heartbeat, keepHeartbeat } from '../queue/sessions/heartbeat.ts';
import { startRunAlone, stopRun } from '../queue/sessions/runs.ts';
import type { Agent } from './agent.ts';
import { findAgent } from './agents/index.ts';
import { type DeferredWrites, openDeferredWrites } from './deferred-writes.ts';
import type { SupervisorEvent, SupervisorInput } from './input.ts';
import { type Pauses, pausesBy } from './pauses.ts';
import { type BaselineCheck, baselineCheck } from './red-baseline.ts';
import { Stagnation } from './stagnation.ts';
import type { Stop } from './stop.ts';
import { type TamperDetector, watchForTampering } from './tampering.ts';
import { elsewhereOf, type WrittenElsewhere } from './written-elsewhere.ts';

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
  /** For what is worth one line a run, however often it happens. */
  tellOnce(event: SupervisorEvent): void;
};

export async function openRun(input: SupervisorInput): Promise<Run> {
  const { queue, root, stateDir, env, config, wait, tell } = input;
  const agent = findAgent(config);
  const tampering = await watchForTampering(input);
  const id = await startRunAlone(queue, identify(process.pid), liveness);
  const elsewhere = elsewhereOf(input);
  const tellOnce = once(tell);
  const outageMs = wait.is ? Number.POSITIVE_INFINITY : config.limits.outage_minutes * 60_000;
  return {
    id,
    input,
    place: { root, env, stateDir },
    agent,
    limits: { max_attempts: config.max_attempts, stuck: config.limits.stuck },
    tampering,
    stagnation: new Stagnation(config.limits.stagnation),
    elsewhere,
    baseline: baselineCheck({ ...input, tellOnce }, agent, tampering, elsewhere, id),
    pauses: pausesBy({ now: queue.now, pauseMs: wait.pauseMs, outageMs }),
    writes: openDeferredWrites(input, (reason) => tell({ kind: 'refused', reason })),
    heartbeat: keepHeartbeat(queue, id),
    tellOnce,
  };
}

export async function closeRun({ id, input, place, writes }: Run, stop: Stop): Promise<void> {
  await writes.written();
  // Where a person's git held the index: their next commit would undo the last task's.
  await catchHindrance(() => tellIndexOfLast(place));
  await stopRun(input.queue, id, stop.reason);
}

/** The reason why a commit is unsigned may differ from one to the next; one is enough. */
function once(tell: (event: SupervisorEvent) => void): (event: SupervisorEvent) => void {
  const keys = new Set<string>();
  return (event) => {
    const key = event.kind === 'unsigned' ? event.kind : JSON.stringify(event);
    if (!keys.has(key)) tell(event);
    keys.add(key);
  };
}
