// The loop of `ralph run`: claim the next ready task, let a fresh agent work on it, verify the result, repeat.
import { finishSession } from './finish.ts';
import { claimNext, nothingToClaim, waitFor } from './next-task.ts';
import { recoverRun } from './recover-run.ts';
import type { Run } from './run.ts';
import { afterPause, afterSession, type RunTotals } from './run-totals.ts';
import { type Stop, stopBefore } from './stop.ts';
import { work } from './work.ts';

export async function runLoop(run: Run): Promise<Stop> {
  // Sessions of a dead run are settled first, gates included: other tasks may wait for them.
  let totals: RunTotals = await recoverRun(run);
  for (;;) {
    const stop = stopBefore(run, totals) ?? (await run.baseline.check());
    // Claim before gathering: a crash in between must leave the task visibly taken.
    const claimed = stop === null ? await claimNext(run) : null;
    if (claimed === null) {
      const end = stop ?? (await nothingToClaim(run));
      if (!(await waitFor(run, totals, end))) return end;
      totals = afterPause(totals);
      continue;
    }
    const workResult = await work(run, totals, claimed);
    // Gates, commit and settle, in the order that survives a crash at any point.
    totals = afterSession(totals, await finishSession(run, claimed, workResult));
  }
}
