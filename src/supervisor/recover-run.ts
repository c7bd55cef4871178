// Settles what other runs left behind: before this run claims a task, and when one goes silent.
import { setTimeout as pause } from 'node:timers/promises';
import { needsMending } from '../domain/sessions/parked-agents.ts';
import type { Session } from '../domain/sessions/session.ts';
import { findGit } from '../host/git/git-directory.ts';
import { isAlive, isOnThisMachine, liveness } from '../host/processes/process-identity.ts';
import { projectWorkTrees } from '../host/project.ts';
import type { Effects } from '../queue/sessions/finish.ts';
import { type RecoveredSession, recover } from '../queue/sessions/recover.ts';
import { parkedAgents, sessionsLeftElsewhere } from '../queue/sessions/runs.ts';
import { nextTakeOver } from '../queue/sessions/take-over.ts';
import { markOpen } from './clean-up.ts';
import { createEffects, type SessionEffects } from './effects.ts';
import { commitFinishedFeatures } from './finished-features.ts';
import { openGroundAs } from './ground/index.ts';
import { recoveryGrounds } from './ground/recovery-grounds.ts';
import type { Run } from './run.ts';
import { budgetLeft, NO_SESSIONS, type RunTotals } from './run-totals.ts';

/** As an earlier run met it. */
const LIMIT = { fault: 'usage_limit', detail: null, isAnnounced: true, isAwaited: false } as const;

const effectsIn = (run: Run): SessionEffects =>
  createEffects(run, () => budgetLeft(run.input.limits, NO_SESSIONS), null);

/** Each on the ground where it worked: an earlier run may have worked in slots, and this one in the checkout. */
async function recoverSessions(run: Run): Promise<RecoveredSession[]> {
  const { id: run_id, input, place, limits, tampering } = run;
  const grounds = recoveryGrounds(place, run, async (kind) => ({
    ...run,
    ground: await openGroundAs(kind ?? run.ground.kind, input, tampering),
  }));
  const effects = async (session: Session): Promise<Effects> => effectsIn(await grounds.of(session)).effects;
  try {
    const recovered = await recover(input.queue, {
      run_id,
      lookUp: liveness,
      isHere: isOnThisMachine,
      trees: projectWorkTrees(place),
      effects,
      limits,
    });
    for (const { session } of recovered) run.artifacts.end(session.id);
    return recovered;
  } finally {
    await grounds.end();
  }
}

export async function recoverRun(run: Run): Promise<RunTotals> {
  const { input, place, ground } = run;
  const { queue, config, tell } = input;
  const trees = projectWorkTrees(place);
  await input.sync();
  if (findGit(place.root) === null) tell({ kind: 'without_git' });
  if (config.gates.length === 0) tell({ kind: 'without_gates' });
  if (ground.jobs < config.jobs) tell({ kind: 'one_at_a_time', jobs: config.jobs });
  await ground.beforeRecovery();
  await markOpen(place);
  const { effects } = effectsIn(run);
  for (const recovered of await recoverSessions(run)) tell({ kind: 'recovered', recovered });
  for (const session of await sessionsLeftElsewhere(
    queue,
    (run) => isAlive(run) || !isOnThisMachine(run),
    trees,
  ))
    tell({ kind: 'left_elsewhere', session });
  await input.settled();
  await commitFinishedFeatures(run, effects);
  await ground.afterRecovery();
  // For recovered sessions, and for lines that an earlier run could not write.
  run.writes.writeJournal();
  // A usage limit outlives the run that met it. A person who does not want to wait is free to try.
  const parked = input.wait.enabled ? await parkedAgents(queue) : [];
  // What a person had to mend may be mended, and another machine may have what one lacks.
  const limited = parked.filter((park) => !needsMending(park));
  return {
    ...NO_SESSIONS,
    pauses: new Map(limited.map(({ agent, until }) => [agent, { ...LIMIT, agent, until }])),
  };
}

/** Settles what a run left that went silent while this one was at work. */
export async function takeOver(run: Run): Promise<void> {
  const { id, input } = run;
  const inMs = await nextTakeOver(input.queue, id, liveness);
  if (inMs !== 0) return;
  for (const recovered of await recoverSessions(run)) input.tell({ kind: 'recovered', recovered });
  await input.settled();
  run.writes.writeJournal();
}

/** True once there may be something to take over; false if no run is silent. Other tasks may wait for what it left. */
export async function awaitTakeOver({ id, input, tellOnce }: Run): Promise<boolean> {
  const { queue, stop } = input;
  const inMs = await nextTakeOver(queue, id, liveness);
  if (inMs === null || stop.after.aborted) return false;
  tellOnce({ kind: 'fleet', text: SILENT });
  await pause(Math.min(Math.max(inMs, LEAST_PAUSE_MS), LOOK_EVERY_MS));
  return true;
}

const [LEAST_PAUSE_MS, LOOK_EVERY_MS] = [50, 1_000];

const SILENT =
  'a run that is not to be seen from here no longer answers; this one takes over its sessions if it stays silent';
