// A run of another process is asked to stop by a row of events: no signal is sent, and whoever dies in between loses nothing.
import { Refusal } from '../../domain/refusal.ts';
import type { ProcessIdentity, StopTime } from '../../domain/sessions/session.ts';
import { appendEvents, stopsAsked } from '../../store/events.ts';
import type { Queue } from '../queue.ts';
import { requireRun } from '../require.ts';

export function requestStop(
  queue: Queue,
  run_id: number,
  when: StopTime,
  isAlive: (identity: ProcessIdentity) => boolean,
): Promise<void> {
  const at = queue.now();
  return queue.store.write(async (db) => {
    const run = await requireRun(db, run_id);
    if (run.ended !== null) throw new Refusal(`Run ${run_id} has ended already; there is nothing to stop.`);
    if (!isAlive(run))
      throw new Refusal(
        `The process of run ${run_id} is gone; the next ralph run goes on with what it left.`,
      );
    if (run.kind === 'interactive')
      throw new Refusal(`Run ${run_id} belongs to an MCP client (pid ${run.pid}); stop the work there.`);
    if ((await stopsAsked(db, run_id)).includes(when)) return;
    await appendEvents(db, [{ at, kind: 'run.stop_asked', run_id, data: { when } }]);
  });
}

/** What the run has been asked for; null where nobody has. */
export const findStopRequest = (queue: Queue, run_id: number): Promise<StopTime | null> =>
  queue.store.read(async (db) => {
    const asked = await stopsAsked(db, run_id);
    return asked.includes('now') ? 'now' : (asked[0] ?? null);
  });
