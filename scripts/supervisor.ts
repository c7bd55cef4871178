// The whole story: take the next ready task, let a fresh agent work on it, prove what it says, go on. `ralph run` is this.
import type { Stop } from '../src/supervisor/stop.ts';
import type { Supervisor } from '../src/supervisor/supervisor.ts';

export async function supervise(supervisor: Supervisor): Promise<Stop> {
  // What a dead run left is settled first, gates included: it may be what others wait for.
  await supervisor.recover();
  for (;;) {
    // Claimed before anything is gathered: a crash in between leaves the task visibly taken.
    const enough = supervisor.enough() ?? (await supervisor.checkBaseline());
    const task = enough === null ? await supervisor.claim() : null;
    if (task === null) {
      const stop = enough ?? (await supervisor.nothingReady());
      if (await supervisor.waitedFor(stop)) continue;
      return stop;
    }
    const end = await supervisor.work(task);
    // Gates, commit and settle, in the order that survives a crash at any point.
    await supervisor.finish(task, end);
  }
}
