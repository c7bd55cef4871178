import type { GateResult } from '../../domain/sessions/gate.ts';
import type { Session } from '../../domain/sessions/session.ts';
import { numberTries, type Tried } from '../../domain/tasks/tries.ts';
import { gateRunsOfSession } from '../../store/sessions/gate-runs.ts';
import { sessionsOfTask } from '../../store/sessions/sessions.ts';
import { type StoredSignal, signalsOfSession } from '../../store/sessions/signals.ts';
import type { Queue } from '../queue.ts';
import { requireTask } from '../require-task.ts';

export type TaskAttempt = { session: Tried<Session>; gates: GateResult[]; signals: StoredSignal[] };

const NEWEST = 50;

/** The latest sessions of a task, newest first, each with what proved or refuted it and what it said. */
export const taskAttempts = (queue: Queue, task_id: number): Promise<TaskAttempt[]> =>
  queue.store.read(async (db) => {
    await requireTask(db, task_id);
    const attempts: TaskAttempt[] = [];
    for (const session of numberTries(await sessionsOfTask(db, task_id))
      .slice(-NEWEST)
      .reverse())
      attempts.push({
        session,
        gates: await gateRunsOfSession(db, session.id),
        signals: await signalsOfSession(db, session.id),
      });
    return attempts;
  });
