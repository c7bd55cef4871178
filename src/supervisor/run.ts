// The state that all steps of one run share.
import { configuredAgents } from '../domain/sessions/choose-agent.ts';
import { GateStopped } from '../host/gates/gates.ts';
import type { Place } from '../host/git/own-git.ts';
import { identify, liveness } from '../host/processes/process-identity.ts';
import { startRunAlone, stopRun } from '../queue/sessions/runs.ts';
import { watchEvidence } from '../queue/sessions/verify-evidence.ts';
import type { Agent } from './agents/agent.ts';
import { findAgent } from './agents/index.ts';
import { unmarkOpen } from './clean-up.ts';
import { type DeferredWrites, openDeferredWrites } from './deferred-writes.ts';
import type { Ground } from './ground/ground.ts';
import { openGround } from './ground/index.ts';
import type { SupervisorEvent, SupervisorInput } from './input.ts';
import { holdLease, leaseTimes, type RunLease } from './lease.ts';
import { createPauses, type Pauses } from './pauses.ts';
import { type PullWatch, watchPulls } from './pull-requests/watch-pulls.ts';
import { type BaselineCheck, createBaselineCheck } from './red-baseline.ts';
import { type ArtifactSharing, shareArtifacts } from './sessions/share-artifacts.ts';
import { type TamperDetector, watchForTampering } from './sessions/tampering.ts';
import { Stagnation } from './stagnation.ts';
import { type Stop, unproven } from './stop.ts';

export type Run = {
  readonly id: number;
  readonly input: SupervisorInput;
  readonly place: Place;
  /** The adapter of an agent by its name. */
  findAgent(name: string): Agent;
  readonly limits: { max_attempts: number; stuck: number };
  readonly tampering: TamperDetector;
  readonly stagnation: Stagnation;
  readonly ground: Ground;
  /** Null if work goes onto the branch itself. */
  readonly pulls: PullWatch | null;
  readonly baseline: BaselineCheck;
  /** Why the run starts no further session: a task is done, and nothing proves it. Null to go on. */
  checkEvidence(): Promise<Stop | null>;
  readonly pauses: Pauses;
  readonly writes: DeferredWrites;
  readonly lease: RunLease;
  /** What the sessions write, for the other machines of a fleet. */
  readonly artifacts: ArtifactSharing;
  /** How often a ready task had to wait because a session beside it may change the same files. */
  readonly passedOver: Map<number, number>;
  /** Tells an event at most once a run, however often it happens. */
  tellOnce(event: SupervisorEvent): void;
};

export async function openRun(input: SupervisorInput): Promise<Run> {
  const { queue, root, stateDir, env, config, wait, tell } = input;
  // Refuses what does not fit together before anything begins.
  for (const name of configuredAgents(config)) findAgent(config, name);
  const tampering = await watchForTampering(input);
  const { jobs } = config;
  const { leaseMs } = leaseTimes(config);
  const about = { leaseMs, root, jobs: config.in_place ? 1 : jobs, version: input.version };
  const id = await startRunAlone(queue, identify(process.pid), liveness, about);
  // Only now: a run that is refused must not adopt the settings that an agent of the other run may have changed.
  const refuse = async (error: unknown): Promise<never> => {
    await stopRun(queue, id, error instanceof GateStopped ? 'stopped' : 'unusable');
    throw error;
  };
  const place = { root, env, stateDir };
  const ground = await openGround({ ...input, isPatient: wait.enabled }, tampering).catch(refuse);
  const pulls = await watchPulls({ queue, place, config }).catch(refuse);
  const tellOnce = once(tell);
  const verify = watchEvidence(queue);
  const patience = (minutes: number): number => (wait.enabled ? Number.POSITIVE_INFINITY : minutes * 60_000);
  return {
    id,
    input,
    place,
    findAgent: (name) => findAgent(config, name),
    limits: { max_attempts: config.max_attempts, stuck: config.limits.stuck },
    tampering,
    stagnation: new Stagnation(config.limits.stagnation),
    ground,
    pulls,
    baseline: createBaselineCheck({ ...input, tellOnce }, tampering, ground, id),
    checkEvidence: async () => {
      const { unproven: tasks } = await verify();
      return tasks.length === 0 ? null : unproven(tasks);
    },
    pauses: createPauses({
      now: queue.now,
      pauseMs: wait.pauseMs,
      outageMs: patience(config.limits.outage_minutes),
      briefMs: patience(config.limits.brief_minutes),
      isEndless: wait.isEndless ?? false,
    }),
    writes: openDeferredWrites(input, (reason) => tell({ kind: 'refused', reason })),
    lease: holdLease(input, id),
    artifacts: shareArtifacts({ ...input, onRefused: (text) => tellOnce({ kind: 'fleet', text }) }),
    passedOver: new Map(),
    tellOnce,
  };
}

/** Gates may run once more, for commits of a person that come late. */
export async function endWork({ place, ground, writes }: Run): Promise<void> {
  await writes.journalWritten();
  await ground.end();
  await unmarkOpen(place);
}

export const closeRun = ({ id, input }: Run, stop: Stop): Promise<void> =>
  stopRun(input.queue, id, stop.reason);

/** A run that ends by an error is over as well: the next one must not take it for one at work. */
export const abandonRun =
  ({ id, input, ground }: Run) =>
  async (error: unknown): Promise<never> => {
    // A worker tries again in the same process.
    await ground.release().catch(() => {});
    // The database may be what failed.
    await stopRun(input.queue, id, 'unusable').catch(() => {});
    throw error;
  };

/** The reason for an unsigned commit may differ from commit to commit; telling the first is enough. */
function once(tell: (event: SupervisorEvent) => void): (event: SupervisorEvent) => void {
  const keys = new Set<string>();
  return (event) => {
    // A person who has to mend an agent need not hear when a worker tries it again.
    const isMended = event.kind === 'parked' && event.sentence !== null;
    const key =
      event.kind === 'unsigned' ? event.kind : JSON.stringify(isMended ? { ...event, until: null } : event);
    if (!keys.has(key)) tell(event);
    keys.add(key);
  };
}
