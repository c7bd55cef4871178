import type { GateResult } from '../domain/gate.ts';
import { Refusal } from '../domain/refusal.ts';
import type { Session } from '../domain/session.ts';
import type { Signal } from '../domain/signal.ts';
import { gateRunsOfSession } from '../store/gate-runs.ts';
import { findSession } from '../store/sessions.ts';
import { signalsOfSession } from '../store/signals.ts';
import type { Queue } from './queue.ts';
import { requireTask } from './require-task.ts';

export type SessionDetails = {
  session: Session;
  title: string;
  signals: Signal[];
  gates: Pick<GateResult, 'name' | 'passed' | 'required' | 'exit_code' | 'tail'>[];
};

export const showSession = (queue: Queue, id: string): Promise<SessionDetails> =>
  queue.store.read(async (db) => {
    const session = await findSession(db, id);
    if (session === null) throw new Refusal(`There is no session ${id}.`);
    return {
      session,
      title: (await requireTask(db, session.task_id)).title,
      signals: (await signalsOfSession(db, id)).map(({ signal }) => signal),
      gates: await gateRunsOfSession(db, id),
    };
  });
