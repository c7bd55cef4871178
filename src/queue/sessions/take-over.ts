// Who may take over the work of a run that is gone. Both leases are read in the transaction that takes over.
import { type Liveness, mayTakeOver, takeOverIn } from '../../domain/sessions/liveness.ts';
import type { ProcessIdentity, Run } from '../../domain/sessions/session.ts';
import type { Reader } from '../../store/database.ts';
import { appendEvents } from '../../store/events.ts';
import { endRun, openRuns } from '../../store/sessions/runs.ts';
import { openSessions } from '../../store/sessions/sessions.ts';
import type { Queue } from '../queue.ts';

type LookUp = (identity: ProcessIdentity) => Liveness;
type TakeOver = { lost: number; by: number; lookUp: LookUp };

type Owner = ProcessIdentity & { ended: number | null };

/** A run may have ended and left a session, as after a second Ctrl-C. Its process may be alive, as that of a worker that runs again. */
export function ownerLiveness(owner: Owner, lookUp: LookUp): Liveness {
  const found = lookUp(owner);
  return found === 'alive' && owner.ended !== null ? 'dead' : found;
}

/** Whether a run may take over what this one left. */
export async function mayTakeFrom(
  db: Reader,
  owner: Owner,
  { by, lookUp }: Omit<TakeOver, 'lost'>,
): Promise<boolean> {
  const judge = (await openRuns(db)).find(({ id }) => id === by);
  return mayTakeOver(ownerLiveness(owner, lookUp), owner.lease ?? null, judge?.lease ?? null);
}

/** The lost run; null if it has ended, is at work after all, or if the other may not say so yet. */
async function findLost(db: Reader, { lost, by, lookUp }: TakeOver): Promise<Run | null> {
  const run = (await openRuns(db)).find(({ id }) => id === lost);
  return run !== undefined && (await mayTakeFrom(db, run, { by, lookUp })) ? run : null;
}

/** Ends a run that is gone, unless it still has sessions: then those are taken over first. */
export function endLostRun(queue: Queue, { lost, by, lookUp }: TakeOver): Promise<void> {
  const at = queue.now();
  return queue.store.write(async (db) => {
    const run = await findLost(db, { lost, by, lookUp });
    if (run === null || (await openSessions(db)).some(({ session }) => session.run_id === lost)) return;
    const isUnseen = lookUp(run) === 'silent';
    const stop_reason = isUnseen ? 'lost' : 'died';
    await endRun(db, lost, stop_reason, at);
    const { host = null, heartbeat = null } = run;
    const lostEvent = { at, kind: 'run.lost', run_id: lost, data: { by, host, heartbeat } } as const;
    const endedEvent = { at, kind: 'run.ended', run_id: lost, data: { stop_reason } } as const;
    await appendEvents(db, isUnseen ? [lostEvent, endedEvent] : [endedEvent]);
  });
}

/** In how many milliseconds this run may take over what silent runs left; null if they left nothing. */
export const nextTakeOver = (queue: Queue, run_id: number, lookUp: LookUp): Promise<number | null> =>
  queue.store.read(async (db) => {
    const runs = await openRuns(db);
    const judge = runs.find(({ id }) => id === run_id)?.lease ?? null;
    const owners = (await openSessions(db)).flatMap(({ owner }) => (owner.ended === null ? [] : [owner]));
    const others = [...runs.filter(({ id }) => id !== run_id), ...owners];
    const silent = others.filter((one) => lookUp(one) === 'silent');
    if (judge === null || silent.length === 0) return null;
    return Math.min(...silent.map(({ lease }) => takeOverIn(lease ?? null, judge)));
  });
