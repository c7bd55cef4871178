// Settles sessions of dead supervisors from their recorded signals, gates included.
import { MachineFailed } from '../../domain/refusal.ts';
import { isAtWork, type Liveness } from '../../domain/sessions/liveness.ts';
import {
  locateWorkTree,
  NO_USAGE,
  type ProcessIdentity,
  type RunKind,
  type Session,
  type WorkTrees,
} from '../../domain/sessions/session.ts';
import type { Decision } from '../../domain/sessions/settle.ts';
import { appendEvents } from '../../store/events.ts';
import { openRuns } from '../../store/sessions/runs.ts';
import { adoptSession, openSessions } from '../../store/sessions/sessions.ts';
import type { Queue } from '../queue.ts';
import { catchHindrance, type Effects, type FinishInput, finish } from './finish.ts';
import { LostSession } from './live-session.ts';
import { endLostRun, mayTakeFrom, ownerLiveness } from './take-over.ts';

type RecoverInput = Pick<FinishInput, 'limits'> & {
  /** What finishes a session, where it worked. */
  effects: Effects | ((session: Session) => Promise<Effects>);
  /** The run that takes over. */
  run_id: number;
  lookUp: (identity: ProcessIdentity) => Liveness;
  /** Whether the files of a process may be on this machine. By default they are. */
  isHere?: (identity: ProcessIdentity) => boolean;
  /** Ralph leaves a session of another work tree alone: its files, branch and index are not here. */
  trees: WorkTrees;
  /** Takes over only sessions of runs of this kind; by default of all. A client does not finish a supervisor's session. */
  kind?: RunKind;
};

export type RecoveredSession = { session: Session; decision: Decision };

export async function recover(
  queue: Queue,
  { run_id, lookUp, isHere = () => true, trees, effects, limits, kind }: RecoverInput,
): Promise<RecoveredSession[]> {
  const { runs, sessions } = await queue.store.read(async (db) => ({
    runs: await openRuns(db),
    sessions: await openSessions(db),
  }));
  // This run's own sessions are live, unless their finish has begun: an earlier recovery could not end those.
  const isCovered = (run: { kind: RunKind }): boolean => kind === undefined || run.kind === kind;
  const orphans = sessions.filter(({ session, owner }) =>
    session.run_id === run_id
      ? session.closing !== null
      : isCovered(owner) && !isAtWork(ownerLiveness(owner, lookUp)),
  );
  const recovered: RecoveredSession[] = [];
  const failures: unknown[] = [];
  const unfinished = new Set<number>();
  for (const { session, owner } of orphans) {
    // A path of another machine means nothing here, even if there is a folder with that name.
    const left = isHere(owner) ? locateWorkTree(session, trees) : 'lost';
    if (
      left === 'elsewhere' ||
      (session.run_id !== run_id && !(await adopt(queue, session, run_id, lookUp)))
    ) {
      unfinished.add(session.run_id);
      continue;
    }
    try {
      const own = typeof effects === 'function' ? await effects(session) : effects;
      const possible = left === 'lost' ? withoutWorkTree(queue, own, session) : own;
      const decision = await finishOrphan(queue, session, { run_id, effects: possible, limits });
      if (decision !== null) recovered.push({ session, decision });
    } catch (error) {
      // One failure must not stop the recovery of the other sessions.
      failures.push(error);
    }
  }
  for (const run of runs)
    if (run.id !== run_id && isCovered(run) && !isAtWork(lookUp(run)) && !unfinished.has(run.id))
      await endLostRun(queue, { lost: run.id, by: run_id, lookUp });
  if (failures.length > 0) throw failures[0];
  return recovered;
}

/**
 * Without the work tree nothing can be proven or committed; the session's signals still count, and what its slot holds. In a fleet
 * the machines meet in a git remote, so what the session gave there can be.
 */
function withoutWorkTree({ store }: Queue, effects: Effects, { root }: Session): Effects {
  const { readUsage, reap, saveLost } = effects;
  if (store.isShared) return { ...effects, ...(saveLost !== undefined && { saveUnfinished: saveLost }) };
  const refuse = async (): Promise<never> => {
    throw new MachineFailed(`the work tree ${root} no longer exists.`);
  };
  return {
    runGates: refuse,
    commit: refuse,
    ...(reap !== undefined && { reap }),
    ...(readUsage !== undefined && { readUsage }),
    ...(saveLost !== undefined && { saveUnfinished: saveLost }),
  };
}

/** Null if the supervisor was alive after all and finished the session first. */
async function finishOrphan(
  queue: Queue,
  session: Session,
  { run_id, effects, limits }: Pick<FinishInput, 'run_id' | 'effects' | 'limits'>,
): Promise<Decision | null> {
  const end = { kind: 'infrastructure', fault: 'supervisor_killed', resume_at: null } as const;
  try {
    const hindrance = await catchHindrance(async () => effects.reap?.(session.id));
    const usage = (await effects.readUsage?.(session.id)) ?? NO_USAGE;
    return await finish(queue, { session_id: session.id, run_id, end, usage, hindrance, effects, limits });
  } catch (error) {
    if (error instanceof LostSession) return null;
    throw error;
  }
}

/** False if another run was faster, or if this one may not take it over yet. */
function adopt(
  queue: Queue,
  session: Session,
  run_id: number,
  lookUp: RecoverInput['lookUp'],
): Promise<boolean> {
  const at = queue.now();
  return queue.store.write(async (db) => {
    const found = (await openSessions(db)).find((open) => open.session.id === session.id);
    if (found === undefined || !(await mayTakeFrom(db, found.owner, { by: run_id, lookUp }))) return false;
    if (!(await adoptSession(db, session.id, session.run_id, run_id))) return false;
    const data = { from: session.run_id };
    await appendEvents(db, [
      { at, kind: 'session.adopted', task_id: session.task_id, session_id: session.id, run_id, data },
    ]);
    return true;
  });
}
