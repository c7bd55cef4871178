// The loop of `ralph run`: claim ready tasks, let a fresh agent work on each, verify and land the results, repeat. What belongs to
// the run is decided here, one decision at a time; what belongs to one session happens in its lane.
import { type Lanes, openLanes } from './lanes.ts';
import { claimNext, nothingToClaim, stopUnready, waitFor } from './next-task.ts';
import { lookAtPulls } from './pull-requests/look-at-pulls.ts';
import { awaitTakeOver, recoverRun, takeOver } from './recover-run.ts';
import type { Run } from './run.ts';
import { type Stop, stopBefore } from './stop.ts';

export async function runLoop(run: Run): Promise<Stop> {
  // Sessions of a dead run are settled first, gates included: other tasks may wait for them.
  const lanes = openLanes(run, await recoverRun(run));
  await lookAtPulls(run, { isAll: true });
  try {
    return await runLanes(run, lanes);
  } finally {
    // What fails between two claims must not abandon the sessions at work.
    await lanes.ended();
  }
}

async function runLanes(run: Run, lanes: Lanes): Promise<Stop> {
  for (;;) {
    if (!run.lease.over.aborted) await takeOver(run);
    await lookAtPulls(run);
    const stop =
      stopBefore(run, lanes.totals()) ??
      (await run.checkEvidence()) ??
      (await run.baseline.check()) ??
      (await stopUnready(run, lanes));
    const beside = lanes.tasks();
    // Claim before gathering: a crash in between must leave the task visibly taken.
    const claimed = stop === null && lanes.hasRoom() ? await claimNext(run, beside) : null;
    if (claimed !== null) lanes.start(claimed);
    else if (lanes.isBusy()) await lanes.change();
    // A task may have waited for the files of a session that has ended meanwhile.
    else if (beside.length === 0) {
      if (stop === null && (await awaitTakeOver(run))) continue;
      const end = stop ?? (await nothingToClaim(run));
      if (!(await waitFor(run, lanes.totals(), end))) return end;
      lanes.resume();
    }
  }
}
