// Settles what earlier runs left behind, before this run claims a task.
import type { Session } from '../domain/sessions/session.ts';
import { findGit } from '../host/git/git-directory.ts';
import { isAlive } from '../host/processes/process-identity.ts';
import { projectWorkTrees } from '../host/project.ts';
import type { Effects } from '../queue/sessions/finish.ts';
import { type RecoveredSession, recover } from '../queue/sessions/recover.ts';
import { resumeTime, sessionsLeftElsewhere } from '../queue/sessions/runs.ts';
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
    return await recover(input.queue, { run_id, isAlive, trees: projectWorkTrees(place), effects, limits });
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
  const { effects } = effectsIn(run);
  for (const recovered of await recoverSessions(run)) tell({ kind: 'recovered', recovered });
  for (const session of await sessionsLeftElsewhere(queue, isAlive, trees))
    tell({ kind: 'left_elsewhere', session });
  await input.settled();
  await commitFinishedFeatures(run, effects);
  await ground.afterRecovery();
  // For recovered sessions, and for lines that an earlier run could not write.
  run.writes.writeJournal();
  // A usage limit outlives the run that met it. A person who does not want to wait is free to try.
  const until = input.wait.enabled ? await resumeTime(queue) : null;
  return until !== null && until > queue.now() ? { ...NO_SESSIONS, pause: { ...LIMIT, until } } : NO_SESSIONS;
}
