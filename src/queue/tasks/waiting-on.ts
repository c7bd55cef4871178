import { isOnBranch } from '../../domain/pull-requests/pull-request.ts';
import type { ProcessIdentity } from '../../domain/sessions/session.ts';
import type { OnHold } from '../../domain/tasks/feature.ts';
import { flagText, isOpenBlocker } from '../../domain/tasks/flag.ts';
import { isSatisfied } from '../../domain/tasks/status.ts';
import type { Question, Task } from '../../domain/tasks/task.ts';
import { openSessions } from '../../store/sessions/sessions.ts';
import { featuresOnHold } from '../../store/tasks/features.ts';
import { openFlags } from '../../store/tasks/flags.ts';
import { waitingPulls } from '../../store/tasks/pull-requests.ts';
import { openQuestions } from '../../store/tasks/questions.ts';
import { findStatuses } from '../../store/tasks/tasks.ts';
import type { Queue } from '../queue.ts';

export type WaitingOn = {
  /** Open direct dependencies; `why` also follows theirs. */
  waits_for: readonly number[];
  /** If its feature is planned or deprecated. */
  feature_status: OnHold | null;
  question: Pick<Question, 'id' | 'question'> | null;
  flag: { id: number; text: string } | null;
  /** `isAlive`: whether the process of the session runs. */
  session: { id: string; started: number; root: string | null; isAlive: boolean } | null;
};

/** Those that block come first. */
const MAX_FLAGS = 1_000;

/** A short form of `why` for many tasks, by task: a few queries serve all of them. */
export const waitingOn = (
  queue: Queue,
  tasks: readonly Task[],
  isAlive: (identity: ProcessIdentity) => boolean,
): Promise<Map<number, WaitingOn>> =>
  queue.store.read(async (db) => {
    const waiting = tasks.filter(({ status, open_blockers }) => open_blockers > 0 && !isSatisfied(status));
    const statuses = await findStatuses(db, [...new Set(waiting.flatMap(({ depends_on }) => depends_on))]);
    const pulls = new Map(
      waiting.length === 0 ? [] : (await waitingPulls(db)).map((pull) => [pull.task_id, pull]),
    );
    const byTask = new Map<number, WaitingOn>(
      tasks.map(({ id }) => [
        id,
        { waits_for: [], feature_status: null, question: null, flag: null, session: null },
      ]),
    );
    const extend = (id: number, more: Partial<WaitingOn>): void => {
      const entry = byTask.get(id);
      if (entry !== undefined) byTask.set(id, { ...entry, ...more });
    };
    const onHold = waiting.some(({ feature }) => feature !== null) ? await featuresOnHold(db) : new Map();
    for (const { id, depends_on, feature } of waiting)
      extend(id, {
        waits_for: depends_on.filter(
          (one) => !isSatisfied(statuses.get(one) ?? 'done') && !isOnBranch(pulls.get(one), feature),
        ),
        feature_status: onHold.get(feature) ?? null,
      });
    const asking = new Set(tasks.filter(({ status }) => status === 'needs_input').map(({ id }) => id));
    if (asking.size > 0) {
      for (const { id, task_id, question, blocking } of await openQuestions(db))
        if (blocking && asking.has(task_id)) extend(task_id, { question: { id, question } });
      for (const flag of (await openFlags(db, MAX_FLAGS)).filter(isOpenBlocker))
        if (asking.has(flag.task_id)) extend(flag.task_id, { flag: { id: flag.id, text: flagText(flag) } });
    }
    for (const {
      session: { id, task_id, started, root },
      owner,
    } of await openSessions(db))
      extend(task_id, {
        session: { id, started, root, isAlive: isAlive(owner) },
      });
    return byTask;
  });
