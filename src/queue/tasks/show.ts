import type { Reference } from '../../domain/exchange/backlog.ts';
import { type PullSummary, pullSummary } from '../../domain/pull-requests/pull-request.ts';
import type { GateResult, Receipt } from '../../domain/sessions/gate.ts';
import type { Session } from '../../domain/sessions/session.ts';
import type { Flag } from '../../domain/tasks/flag.ts';
import type { Question, Task, TaskComment } from '../../domain/tasks/task.ts';
import { isTry, type NumberedTry, numberTries } from '../../domain/tasks/tries.ts';
import { lastGatesOfTask } from '../../store/sessions/gate-runs.ts';
import { findReceipt } from '../../store/sessions/receipts.ts';
import { sessionsOfTask } from '../../store/sessions/sessions.ts';
import { flagsOfTask } from '../../store/tasks/flags.ts';
import { pullOfTask } from '../../store/tasks/pull-requests.ts';
import { questionsOfTask } from '../../store/tasks/questions.ts';
import { referencesOfTask } from '../../store/tasks/references.ts';
import { commentsOfTask } from '../../store/tasks/task-comments.ts';
import type { Queue } from '../queue.ts';
import { requireTask } from '../require.ts';
import { publicTask } from './list.ts';

export type TaskDetails = Task & {
  comments: (TaskComment & { session_id: string | null })[];
  questions: Question[];
  flags: Flag[];
  sessions: NumberedTry<Session>[];
  tries: number;
  /** Of the last session that ran gates. */
  gates: GateResult[];
  receipt: Receipt | null;
  /** Where the task was imported from. */
  references: Reference[];
  /** The last one, if its work goes to pull requests. */
  pull_request: PullSummary | null;
};

export const show = (queue: Queue, id: number): Promise<TaskDetails> =>
  queue.store.read(async (db) => {
    const sessions = await sessionsOfTask(db, id);
    const pull = await pullOfTask(db, id);
    return {
      ...publicTask(await requireTask(db, id)),
      comments: await commentsOfTask(db, id),
      questions: await questionsOfTask(db, id),
      flags: await flagsOfTask(db, id),
      sessions: numberTries(sessions),
      tries: sessions.filter(isTry).length,
      gates: await lastGatesOfTask(db, id),
      receipt: await findReceipt(db, id),
      references: await referencesOfTask(db, id),
      pull_request: pull === null ? null : pullSummary(pull),
    };
  });
