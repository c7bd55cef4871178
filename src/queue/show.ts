import type { Reference } from '../domain/backlog.ts';
import type { GateResult, Receipt } from '../domain/gate.ts';
import type { Session } from '../domain/session.ts';
import type { Question, Task, TaskComment } from '../domain/task.ts';
import { isTry, numberTries, type Tried } from '../domain/tries.ts';
import { lastGatesOfTask } from '../store/gate-runs.ts';
import { questionsOfTask } from '../store/questions.ts';
import { findReceipt } from '../store/receipts.ts';
import { referencesOfTask } from '../store/references.ts';
import { sessionsOfTask } from '../store/sessions.ts';
import { commentsOfTask } from '../store/task-comments.ts';
import { publicTask } from './list.ts';
import type { Queue } from './queue.ts';
import { requireTask } from './require-task.ts';

export type TaskDetails = Task & {
  comments: TaskComment[];
  questions: Question[];
  sessions: Tried<Session>[];
  tries: number;
  /** Of the last session that had any. */
  gates: GateResult[];
  receipt: Receipt | null;
  /** Where it was imported from. */
  references: Reference[];
};

export const show = (queue: Queue, id: number): Promise<TaskDetails> =>
  queue.store.read(async (db) => {
    const sessions = await sessionsOfTask(db, id);
    return {
      ...publicTask(await requireTask(db, id)),
      comments: await commentsOfTask(db, id),
      questions: await questionsOfTask(db, id),
      sessions: numberTries(sessions),
      tries: sessions.filter(isTry).length,
      gates: await lastGatesOfTask(db, id),
      receipt: await findReceipt(db, id),
      references: await referencesOfTask(db, id),
    };
  });
