// The loop of `ralph run`: claim ready tasks, let a fresh agent work on each, verify and land the results, repeat. What belongs to
// the run is decided here, one decision at a time; what belongs to one session happens in its lane.
import { type Lanes, openLanes } from './lanes.ts';
import { claimNext, nothingToClaim, stopUnready, waitFor } from './next-task.ts';
import { lookAtPulls } from './pull-requests/look-at-pulls.ts';
import { awaitTakeOver, recoverRun, takeOver } from './recover-run.ts';
import type { Run } from './run.ts';
import { parkedPauses } from './run-totals.ts';
import { type Stop, stopBefore } from './stop.ts';
import { stopParked } from './stop-parked.ts';

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
    const parked = stop === null ? parkedPauses(lanes.totals().pauses, run.input.queue.now()) : [];
    const names = parked.map(({ agent }) => agent);
    // Claim before gathering: a crash in between must leave the task visibly taken.
    const claimed = stop === null && lanes.hasRoom() ? await claimNext(run, beside, names) : null;
    if (claimed !== null) {
      for (const { agent, until, fault } of parked) run.tellOnce({ kind: 'parked', agent, until, fault });
      lanes.start(claimed);
    } else if (lanes.isBusy()) await lanes.change();
    // A task may have waited for the files of a session that has ended meanwhile.
    else if (beside.length === 0) {
      if (stop === null && (await awaitTakeOver(run))) continue;
      const end = stop ?? (await nothingToStart(run, lanes));
      if (!(await waitFor(run, end))) return end;
      lanes.resume();
    }
  }
}

/** The limit of an agent says more than that nothing is ready, unless nothing is left to do. */
async function nothingToStart(run: Run, lanes: Lanes): Promise<Stop> {
  const { queue, config } = run.input;
  const end = await nothingToClaim(run);
  return end.reason === 'finished' ? end : (stopParked(lanes.totals(), config, queue.now()) ?? end);
}
