import type { GateResult } from '../../domain/sessions/gate.ts';
import type { Session } from '../../domain/sessions/session.ts';
import type { Task } from '../../domain/tasks/task.ts';
import type { TaskEvents } from '../../domain/tasks/task-timeline.ts';
import { type NumberedTry, numberTries } from '../../domain/tasks/tries.ts';
import type { Reader } from '../../store/database.ts';
import { eventsOfTask } from '../../store/events.ts';
import { gateRunsOfSession } from '../../store/sessions/gate-runs.ts';
import { sessionsOfTask } from '../../store/sessions/sessions.ts';
import { type StoredSignal, signalsOfSession } from '../../store/sessions/signals.ts';
import { findDependents } from '../../store/tasks/task-dependencies.ts';
import {
  listTags,
  searchTaskIds,
  type TaskCost,
  type TaskSearch,
  taskCosts,
} from '../../store/tasks/task-page.ts';
import { findTasks } from '../../store/tasks/tasks.ts';
import type { Queue } from '../queue.ts';
import { requireFeature, requireTask } from '../require.ts';
import { publicTask } from './list.ts';

export type { TaskCost, TaskSearch };

export type TaskPage = {
  tasks: (Task & TaskCost)[];
  /** All matches, on this page or not. */
  total: number;
};

const MAX_PAGE_TASKS = 500;
const NO_COST: TaskCost = { tries: 0, cost_usd: 0, duration_ms: 0 };

/** One page of the matching tasks, in the order of ids. */
export function taskPage(
  queue: Queue,
  { limit, offset, ...search }: TaskSearch & { limit: number; offset: number },
): Promise<TaskPage> {
  const at = queue.now();
  return queue.store.read(async (db) => {
    if (search.feature !== undefined) await requireFeature(db, search.feature);
    const ids = await searchTaskIds(db, search, at);
    const shown = ids.slice(offset, offset + Math.min(limit, MAX_PAGE_TASKS));
    const costs = await taskCosts(db, shown, at);
    const tasks = (await findTasks(db, shown)).sort((one, other) => one.id - other.id);
    return {
      tasks: tasks.map((task) => ({ ...publicTask(task), ...(costs.get(task.id) ?? NO_COST) })),
      total: ids.length,
    };
  });
}

export const usedTags = (queue: Queue, limit: number): Promise<string[]> =>
  queue.store.read((db) => listTags(db, limit));

export type LinkedTask = Pick<Task, 'id' | 'title' | 'status' | 'open_blockers' | 'not_before'>;

/** The first tasks, and how many more there are. */
export type LinkedTasks = { tasks: LinkedTask[]; more: number };

export type TaskLinks = { depends_on: LinkedTasks; dependents: LinkedTasks; parent: LinkedTask | null };

const MAX_LINKS = 50;

/** The dependencies, dependents and parent of a task. */
export const taskLinks = (queue: Queue, id: number): Promise<TaskLinks> =>
  queue.store.read(async (db) => {
    const { depends_on, parent } = await requireTask(db, id);
    return {
      depends_on: await linkedTasks(db, depends_on),
      dependents: await linkedTasks(db, await findDependents(db, id)),
      parent: parent === null ? null : ((await linkedTasks(db, [parent])).tasks[0] ?? null),
    };
  });

async function linkedTasks(db: Reader, ids: readonly number[]): Promise<LinkedTasks> {
  const tasks = (await findTasks(db, ids.slice(0, MAX_LINKS))).map(
    ({ id, title, status, open_blockers, not_before }) => ({ id, title, status, open_blockers, not_before }),
  );
  return { tasks, more: Math.max(0, ids.length - MAX_LINKS) };
}

export type TaskAttempt = { session: NumberedTry<Session>; gates: GateResult[]; signals: StoredSignal[] };

const MAX_ATTEMPTS = 50;

/** The latest sessions of a task, newest first, each with its gates and signals. */
export const taskAttempts = (queue: Queue, task_id: number): Promise<TaskAttempt[]> =>
  queue.store.read(async (db) => {
    await requireTask(db, task_id);
    const attempts: TaskAttempt[] = [];
    for (const session of numberTries(await sessionsOfTask(db, task_id))
      .slice(-MAX_ATTEMPTS)
      .reverse())
      attempts.push({
        session,
        gates: await gateRunsOfSession(db, session.id),
        signals: await signalsOfSession(db, session.id),
      });
    return attempts;
  });

const MAX_EVENTS = 500;

/**
 * The newest events of a task since it was added, oldest first: waits, sessions, gates, questions, retries. The signals of its
 * sessions are part of `taskAttempts`.
 */
export const timeline = (queue: Queue, task_id: number): Promise<TaskEvents> =>
  queue.store.read(async (db) => {
    await requireTask(db, task_id);
    const events = await eventsOfTask(db, task_id, MAX_EVENTS + 1);
    return { events: events.slice(-MAX_EVENTS), isCut: events.length > MAX_EVENTS };
  });
