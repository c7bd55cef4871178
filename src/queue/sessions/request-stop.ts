// Asks a run of another process to stop by an event, without a process signal: if either process dies meanwhile, nothing is lost.
import { Refusal } from '../../domain/refusal.ts';
import type { ProcessIdentity, StopTime } from '../../domain/sessions/session.ts';
import { appendEvents, stopRequests } from '../../store/events.ts';
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
      throw new Refusal(`The process of run ${run_id} is gone; the next ralph run resumes its work.`);
    if (run.kind === 'interactive')
      throw new Refusal(`Run ${run_id} belongs to an MCP client (pid ${run.pid}); stop the work there.`);
    if ((await stopRequests(db, run_id)).includes(when)) return;
    await appendEvents(db, [{ at, kind: 'run.stop_asked', run_id, data: { when } }]);
  });
}

/** How the run was asked to stop; null if it was not. */
export const findStopRequest = (queue: Queue, run_id: number): Promise<StopTime | null> =>
  queue.store.read(async (db) => {
    const requests = await stopRequests(db, run_id);
    return requests.includes('now') ? 'now' : (requests[0] ?? null);
  });
