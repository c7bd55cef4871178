import type { ProcessIdentity, RunKind } from '../domain/session.ts';
import { appendEvents } from '../store/events.ts';
import { endRun, insertRun, latestResume, setResume } from '../store/sessions.ts';
import type { Queue } from './queue.ts';

export function startRun(
  queue: Queue,
  identity: ProcessIdentity,
  kind: RunKind = 'supervisor',
): Promise<number> {
  const at = queue.now();
  return queue.store.write(async (db) => {
    const run_id = await insertRun(db, identity, kind, at);
    await appendEvents(db, [{ at, kind: 'run.started', run_id, data: { pid: identity.pid, kind } }]);
    return run_id;
  });
}

export function stopRun(queue: Queue, run_id: number, stop_reason: string): Promise<void> {
  const at = queue.now();
  return queue.store.write(async (db) => {
    if (!(await endRun(db, run_id, stop_reason, at))) return;
    await appendEvents(db, [{ at, kind: 'run.ended', run_id, data: { stop_reason } }]);
  });
}

/** Until when the run waits for a limit, so that others can tell. */
export function saveResume(queue: Queue, run_id: number, resume_at: number): Promise<void> {
  const at = queue.now();
  return queue.store.write(async (db) => {
    await setResume(db, run_id, resume_at);
    await appendEvents(db, [{ at, kind: 'run.waiting', run_id, data: { until: resume_at } }]);
  });
}

/** Until when an earlier run had to wait; it may have been killed meanwhile, the limit was not. */
export const resumeTime = (queue: Queue): Promise<number | null> => queue.store.read(latestResume);
