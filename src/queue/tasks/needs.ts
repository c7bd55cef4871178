import { failedRequired, type GateResult, latest } from '../../domain/sessions/gate.ts';
import type { Task } from '../../domain/tasks/task.ts';
import type { Reader } from '../../store/database.ts';
import { gateRunsOfSession } from '../../store/sessions/gate-runs.ts';
import { sessionsOfTask } from '../../store/sessions/sessions.ts';
import { commentsOfTask } from '../../store/tasks/task-comments.ts';
import { heldBackBy } from '../../store/tasks/task-dependencies.ts';
import { listTasks } from '../../store/tasks/tasks.ts';
import type { Queue } from '../queue.ts';

export type FailedTask = Pick<Task, 'id' | 'title' | 'attempts' | 'stuck_count'> & {
  /** The gate that refuted its last session. */
  gate: GateResult | null;
  /** The last that was said of it. */
  said: string | null;
  holds_back: readonly number[];
};

/** What only a person can move, besides the questions: the first few of each kind. */
export type Needs = {
  failed: readonly FailedTask[];
  blocked: readonly Pick<Task, 'id' | 'title' | 'blocked_by'>[];
  drafts: readonly Pick<Task, 'id' | 'title'>[];
};

export const needs = (queue: Queue, limit: number): Promise<Needs> =>
  queue.store.read(async (db) => {
    const failed: FailedTask[] = [];
    for (const task of await listTasks(db, { status: 'failed', limit })) failed.push(await failure(db, task));
    return {
      failed,
      blocked: (await listTasks(db, { status: 'blocked', limit })).map(({ id, title, blocked_by }) => ({
        id,
        title,
        blocked_by,
      })),
      drafts: (await listTasks(db, { status: 'draft', limit })).map(({ id, title }) => ({ id, title })),
    };
  });

async function failure(db: Reader, { id, title, attempts, stuck_count }: Task): Promise<FailedTask> {
  const last = (await sessionsOfTask(db, id)).at(-1);
  const gates = last?.outcome === 'gate_failed' ? await gateRunsOfSession(db, last.id) : [];
  return {
    id,
    title,
    attempts,
    stuck_count,
    gate: failedRequired(latest(gates))[0] ?? null,
    said: (await commentsOfTask(db, id)).at(-1)?.body ?? null,
    holds_back: await heldBackBy(db, id),
  };
}
