// Sessions whose supervisor is dead are settled from what they had recorded, gates included.
import { MachineFailed } from '../../domain/refusal.ts';
import {
  NO_USAGE,
  type ProcessIdentity,
  type RunKind,
  type Session,
  type WorkTrees,
  whereLeft,
} from '../../domain/sessions/session.ts';
import type { Decision } from '../../domain/sessions/settle.ts';
import { appendEvents } from '../../store/events.ts';
import { adoptSession, openRuns, openSessions } from '../../store/sessions/sessions.ts';
import type { Queue } from '../queue.ts';
import { type Effects, type FinishInput, finish, hindranceIn } from './finish.ts';
import { LostSession } from './live-session.ts';
import { stopRun } from './runs.ts';

export type RecoverInput = Pick<FinishInput, 'machine' | 'limits'> & {
  /** The run that takes over. */
  run_id: number;
  isAlive: (identity: ProcessIdentity) => boolean;
  /** A session of another work tree is left alone: its files, branch and index are not here. */
  trees: WorkTrees;
  /** Whose sessions are taken over; everybody's, if not given. A client does not finish what a supervisor launched. */
  kind?: RunKind;
};

export type Recovered = { session: Session; decision: Decision };

export async function recover(
  queue: Queue,
  { run_id, isAlive, trees, machine, limits, kind }: RecoverInput,
): Promise<Recovered[]> {
  const { runs, sessions } = await queue.store.read(async (db) => ({
    runs: await openRuns(db),
    sessions: await openSessions(db),
  }));
  // One's own sessions are running, unless their finish has begun: those an earlier recovery could not end.
  const isMine = (run: { kind: RunKind }): boolean => kind === undefined || run.kind === kind;
  const orphans = sessions.filter(({ session, owner }) =>
    session.run_id === run_id ? session.closing !== null : isMine(owner) && !isAlive(owner),
  );
  const recovered: Recovered[] = [];
  const failures: unknown[] = [];
  const unfinished = new Set<number>();
  for (const { session } of orphans) {
    const left = whereLeft(session, trees);
    if (left === 'elsewhere') {
      unfinished.add(session.run_id);
      continue;
    }
    if (session.run_id !== run_id && !(await adopt(queue, session, run_id))) continue;
    try {
      const able = left === 'lost' ? withoutWorkTree(machine, session) : machine;
      const decision = await finishOrphan(queue, session, { run_id, machine: able, limits });
      if (decision !== null) recovered.push({ session, decision });
    } catch (error) {
      // The others must not wait for this one.
      failures.push(error);
    }
  }
  for (const run of runs)
    if (run.id !== run_id && isMine(run) && !isAlive(run) && !unfinished.has(run.id))
      await stopRun(queue, run.id, 'died');
  if (failures.length > 0) throw failures[0];
  return recovered;
}

/** Where the files are gone nothing can be proven or committed; what the session said still counts. */
function withoutWorkTree({ usageOf }: Effects, { root }: Session): Effects {
  const refuse = async (): Promise<never> => {
    throw new MachineFailed(`the work tree ${root} no longer exists.`);
  };
  return { runGates: refuse, commit: refuse, ...(usageOf !== undefined && { usageOf }) };
}

/** Null when its supervisor was not as dead as it looked and finished it first. */
async function finishOrphan(
  queue: Queue,
  session: Session,
  { run_id, machine, limits }: Pick<FinishInput, 'run_id' | 'machine' | 'limits'>,
): Promise<Decision | null> {
  const end = { kind: 'infrastructure', fault: 'supervisor_killed', resume_at: null } as const;
  try {
    const hindrance = await hindranceIn(async () => machine.reap?.(session.id));
    const usage = (await machine.usageOf?.(session.id)) ?? NO_USAGE;
    return await finish(queue, { session_id: session.id, run_id, end, usage, hindrance, machine, limits });
  } catch (error) {
    if (error instanceof LostSession) return null;
    throw error;
  }
}

function adopt(queue: Queue, session: Session, run_id: number): Promise<boolean> {
  const at = queue.now();
  return queue.store.write(async (db) => {
    if (!(await adoptSession(db, session.id, session.run_id, run_id))) return false;
    const data = { from: session.run_id };
    await appendEvents(db, [
      { at, kind: 'session.adopted', task_id: session.task_id, session_id: session.id, run_id, data },
    ]);
    return true;
  });
}
