import { failedRequired, type GateResult, latestResults } from '../../domain/sessions/gate.ts';
import type { OnHold } from '../../domain/tasks/feature.ts';
import type { Task } from '../../domain/tasks/task.ts';
import { isTry } from '../../domain/tasks/tries.ts';
import type { Reader } from '../../store/database.ts';
import { gateRunsOfSession } from '../../store/sessions/gate-runs.ts';
import { sessionsOfTask } from '../../store/sessions/sessions.ts';
import { featuresOnHold } from '../../store/tasks/features.ts';
import { commentsOfTask } from '../../store/tasks/task-comments.ts';
import { findOpenDependents } from '../../store/tasks/task-dependencies.ts';
import { listTasks } from '../../store/tasks/tasks.ts';
import type { Queue } from '../queue.ts';

export type FailedTask = Pick<Task, 'id' | 'title'> & {
  tries: number;
  /** The gate that failed in its last session. */
  gate: GateResult | null;
  last_comment: string | null;
  holds_back: readonly number[];
};

/** Tasks that only a person can move on, besides open questions: the first few of each kind. */
export type Needs = {
  failed: readonly FailedTask[];
  blocked: readonly Pick<Task, 'id' | 'title' | 'blocked_by'>[];
  drafts: readonly Pick<Task, 'id' | 'title'>[];
  /** Features whose pending tasks wait until the feature is active. */
  on_hold: readonly { feature: string; status: OnHold }[];
};

export const findNeeds = (queue: Queue, limit: number): Promise<Needs> =>
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
      on_hold: await waitingFeatures(db, limit),
    };
  });

async function waitingFeatures(db: Reader, limit: number): Promise<Needs['on_hold']> {
  const found: { feature: string; status: OnHold }[] = [];
  for (const [feature, status] of await featuresOnHold(db)) {
    const waiting = await listTasks(db, { feature, status: 'pending', limit: 1 });
    if (waiting.length > 0 && found.length < limit) found.push({ feature, status });
  }
  return found;
}

async function failure(db: Reader, { id, title }: Task): Promise<FailedTask> {
  const sessions = await sessionsOfTask(db, id);
  const last = sessions.at(-1);
  const gates = last?.outcome === 'gate_failed' ? await gateRunsOfSession(db, last.id) : [];
  return {
    id,
    title,
    tries: sessions.filter(isTry).length,
    gate: failedRequired(latestResults(gates))[0] ?? null,
    last_comment: (await commentsOfTask(db, id)).at(-1)?.body ?? null,
    holds_back: await findOpenDependents(db, id),
  };
}
