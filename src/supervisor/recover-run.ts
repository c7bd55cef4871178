// Settles what earlier runs left behind, before this run claims a task.
import { findGit } from '../host/git/git-directory.ts';
import { isAlive } from '../host/processes/process-identity.ts';
import { projectWorkTrees } from '../host/project.ts';
import { recover } from '../queue/sessions/recover.ts';
import { resumeTime, sessionsLeftElsewhere } from '../queue/sessions/runs.ts';
import { createEffects } from './effects.ts';
import { commitFinishedFeatures } from './finished-features.ts';
import type { Run } from './run.ts';
import { budgetLeft, NO_SESSIONS, type RunTotals } from './run-totals.ts';

/** As an earlier run met it. */
const LIMIT = { fault: 'usage_limit', detail: null, isAnnounced: true, isAwaited: false } as const;

export async function recoverRun(run: Run): Promise<RunTotals> {
  const { id: run_id, input, place, limits, ground } = run;
  const { queue, config, tell } = input;
  const trees = projectWorkTrees(place);
  await input.sync();
  if (findGit(place.root) === null) tell({ kind: 'without_git' });
  if (config.gates.length === 0) tell({ kind: 'without_gates' });
  if (ground.jobs < config.jobs) tell({ kind: 'one_at_a_time', jobs: config.jobs });
  await ground.beforeRecovery();
  const { effects } = createEffects(run, () => budgetLeft(input.limits, NO_SESSIONS), null);
  for (const recovered of await recover(queue, { run_id, isAlive, trees, effects, limits }))
    tell({ kind: 'recovered', recovered });
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
