// The loop of `ralph run`: claim ready tasks, let a fresh agent work on each, verify and land the results, repeat. What belongs to
// the run is decided here, one decision at a time; what belongs to one session happens in its lane.
import { needsMending } from '../domain/sessions/parked-agents.ts';
import { type Lanes, openLanes } from './lanes.ts';
import { claimNext, nothingToClaim, parkedTasks, stopUnready, waitFor } from './next-task.ts';
import { lookAtPulls } from './pull-requests/look-at-pulls.ts';
import { awaitTakeOver, recoverRun, takeOver } from './recover-run.ts';
import type { Run } from './run.ts';
import { type ParkedPause, parkedPauses } from './run-totals.ts';
import { type Stop, stopBefore } from './stop.ts';
import { parkedEvent, stopParked } from './stop-parked.ts';

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
    if (!lanes.hasFreeLane()) {
      await lanes.change();
      continue;
    }
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
    if (claimed === null) run.ground.beginBackground();
    if (claimed !== null) {
      for (const pause of parked) run.tellOnce(parkedEvent(pause));
      lanes.start(claimed);
    } else if (lanes.isBusy()) await lanes.change();
    // A task may have waited for the files of a session that has ended meanwhile.
    else if (beside.length === 0) {
      if (stop === null && (await awaitTakeOver(run))) continue;
      const end = stop ?? (await nothingToStart(run, parked));
      if (!(await waitFor(run, end, names))) return end;
      lanes.resume();
    }
  }
}

/** What holds an agent back says more than that nothing is ready, unless none of its tasks is left to do. */
async function nothingToStart(run: Run, parked: readonly ParkedPause[]): Promise<Stop> {
  const { config, wait } = run.input;
  const end = await nothingToClaim(run);
  if (end.reason === 'finished') return end;
  const holding: ParkedPause[] = [];
  // The task of a limit has its time, and so is not ready.
  for (const pause of parked)
    if (!needsMending(pause) || (await parkedTasks(run.input, [pause.agent])).length > 0) holding.push(pause);
  const stop = stopParked(holding, config);
  for (const pause of holding.filter(needsMending))
    if (pause !== stop?.pause || wait.isEndless === true) run.tellOnce(parkedEvent(pause));
  return stop ?? end;
}
