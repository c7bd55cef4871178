import { Refusal } from '../../domain/refusal.ts';
import type { GateResult } from '../../domain/sessions/gate.ts';
import type { Run, Session } from '../../domain/sessions/session.ts';
import type { Signal } from '../../domain/sessions/signal.ts';
import { numberTries, type Tried } from '../../domain/tasks/tries.ts';
import { gateRunsOfSession } from '../../store/sessions/gate-runs.ts';
import { findSession, sessionsOfTask } from '../../store/sessions/sessions.ts';
import { signalsOfSession } from '../../store/sessions/signals.ts';
import type { Queue } from '../queue.ts';
import { requireRun } from '../require-run.ts';
import { requireTask } from '../require-task.ts';

export type SessionDetails = {
  session: Tried<Session>;
  /** The process that works on it, or did. */
  run: Run;
  title: string;
  signals: Signal[];
  gates: GateResult[];
};

export const showSession = (queue: Queue, id: string): Promise<SessionDetails> =>
  queue.store.read(async (db) => {
    const session = await findSession(db, id);
    if (session === null) throw new Refusal(`There is no session ${id}.`);
    const numbered = numberTries(await sessionsOfTask(db, session.task_id)).find((one) => one.id === id);
    return {
      session: numbered ?? { ...session, try: session.token },
      run: await requireRun(db, session.run_id),
      title: (await requireTask(db, session.task_id)).title,
      signals: (await signalsOfSession(db, id)).map(({ signal }) => signal),
      gates: await gateRunsOfSession(db, id),
    };
  });
