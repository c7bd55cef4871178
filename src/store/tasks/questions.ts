import type { Selectable } from 'kysely';
import type { Question } from '../../domain/tasks/task.ts';
import type { Database, Reader, Writer } from '../database.ts';
import { fromJson, toJson } from '../rows.ts';

type NewQuestion = Omit<Question, 'id' | 'dismissed'> & {
  signal_id: number | null;
  approves?: string | null;
  dismissed?: number | null;
};

export async function insertQuestion(db: Writer, question: NewQuestion): Promise<number> {
  const { id } = await db
    .insertInto('questions')
    .values({ ...question, blocking: question.blocking ? 1 : 0, options: toJson(question.options) })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

export async function findQuestion(db: Reader, id: number): Promise<Question | null> {
  const row = await db.selectFrom('questions').selectAll().where('id', '=', id).executeTakeFirst();
  return row === undefined ? null : fromRow(row);
}

export async function findQuestionOfSignal(db: Reader, signal_id: number): Promise<number | null> {
  const row = await db
    .selectFrom('questions')
    .select('id')
    .where('signal_id', '=', signal_id)
    .executeTakeFirst();
  return row?.id ?? null;
}

export async function questionsOfTask(db: Reader, task_id: number): Promise<Question[]> {
  const rows = await db
    .selectFrom('questions')
    .selectAll()
    .where('task_id', '=', task_id)
    .orderBy('id')
    .execute();
  return rows.map(fromRow);
}

export async function questionsOfSession(db: Reader, session_id: string): Promise<Question[]> {
  const ofSession = db.selectFrom('signals').select('id').where('session_id', '=', session_id);
  const rows = await db
    .selectFrom('questions')
    .selectAll()
    .where('signal_id', 'in', ofSession)
    .orderBy('id')
    .execute();
  return rows.map(fromRow);
}

/** Replaces the texts by their masked versions. */
export async function rewriteQuestion(
  db: Writer,
  { id, question, options, preferred }: Question,
): Promise<void> {
  await db
    .updateTable('questions')
    .set({ question, options: toJson(options), preferred })
    .where('id', '=', id)
    .execute();
}

/**
 * Questions that a person can still answer. A skipped or removed task asks nothing any more. Of a done task those count that it did
 * not wait for: the answer may differ from what its session assumed.
 */
export async function openQuestions(db: Reader): Promise<Question[]> {
  const rows = await db
    .selectFrom('questions')
    .innerJoin('tasks', 'tasks.id', 'questions.task_id')
    .selectAll('questions')
    .where('questions.answer', 'is', null)
    .where('questions.dismissed', 'is', null)
    .where('tasks.status', '<>', 'skipped')
    .where('tasks.archived', 'is', null)
    .where(({ or, eb }) => or([eb('tasks.status', '<>', 'done'), eb('questions.blocking', '=', 0)]))
    .orderBy('questions.id')
    .execute();
  return rows.map(fromRow);
}

/** The session's open questions no longer block the task, but stay open. */
export async function stopBlocking(db: Writer, session_id: string): Promise<void> {
  await db
    .updateTable('questions')
    .set({ blocking: 0 })
    .where('answer', 'is', null)
    .where('signal_id', 'in', db.selectFrom('signals').select('id').where('session_id', '=', session_id))
    .execute();
}

export async function allQuestions(db: Reader): Promise<Question[]> {
  return (await db.selectFrom('questions').selectAll().orderBy('id').execute()).map(fromRow);
}

export async function countOpenBlocking(db: Reader, task_id: number): Promise<number> {
  const row = await db
    .selectFrom('questions')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('task_id', '=', task_id)
    .where('blocking', '=', 1)
    .where('answer', 'is', null)
    .where('dismissed', 'is', null)
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

/**
 * Questions that Ralph itself asked because it could not accept the task's work, with the person's answers. Only those since the
 * last judged session. Ralph asks while it ends the session, so `asked` equals `ended`.
 */
export function answeredHindrances(
  db: Reader,
  task_id: number,
): Promise<{ question: string; answer: string }[]> {
  return db
    .selectFrom('questions')
    .innerJoin('sessions', (join) =>
      join
        .onRef('sessions.task_id', '=', 'questions.task_id')
        .onRef('sessions.ended', '=', 'questions.asked'),
    )
    .select('questions.question')
    .select(({ ref }) => ref('questions.answer').$notNull().as('answer'))
    .where('questions.task_id', '=', task_id)
    .where('questions.signal_id', 'is', null)
    .where('questions.approves', 'is', null)
    .where('questions.answer', 'is not', null)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('sessions as later')
            .select('later.id')
            .whereRef('later.task_id', '=', 'questions.task_id')
            .whereRef('later.token', '>', 'sessions.token')
            .where('later.ended', 'is not', null)
            .where('later.outcome', '<>', 'interrupted'),
        ),
      ),
    )
    .orderBy('questions.id')
    .execute();
}

/** Ralph's own open questions about the task, without those that ask to accept a done. */
export async function ownQuestions(db: Reader, task_id: number): Promise<Question[]> {
  const rows = await db
    .selectFrom('questions')
    .selectAll()
    .where('task_id', '=', task_id)
    .where('signal_id', 'is', null)
    .where('approves', 'is', null)
    .where('answer', 'is', null)
    .where('dismissed', 'is', null)
    .orderBy('id')
    .execute();
  return rows.map(fromRow);
}

/** The questions that ask a person to accept a done, in order. */
export async function approvalsOfTask(
  db: Reader,
  task_id: number,
): Promise<{ id: number; approves: string; answer: string | null }[]> {
  return db
    .selectFrom('questions')
    .select(['id', 'answer'])
    .select(({ ref }) => ref('approves').$notNull().as('approves'))
    .where('task_id', '=', task_id)
    .where('approves', 'is not', null)
    .orderBy('id')
    .execute();
}

/**
 * What people answered to sessions of other tasks of the feature; the newest, oldest first. Without the questions of Ralph
 * itself, which are about one session.
 */
export async function answersOfFeature(
  db: Reader,
  { id, feature }: { id: number; feature: string | null },
  most: number,
): Promise<{ question: string; answer: string }[]> {
  const rows = await db
    .selectFrom('questions')
    .innerJoin('tasks', 'tasks.id', 'questions.task_id')
    .select('questions.question')
    .select(({ ref }) => ref('questions.answer').$notNull().as('answer'))
    .where('questions.answer', 'is not', null)
    .where('tasks.id', '<>', id)
    .where('tasks.feature', feature === null ? 'is' : '=', feature)
    .where(({ or, eb }) => or([eb('questions.signal_id', 'is not', null), eb('questions.blocking', '=', 0)]))
    .orderBy('questions.answered', 'desc')
    .orderBy('questions.id', 'desc')
    .limit(most)
    .execute();
  return rows.reverse();
}

export async function dismissQuestion(db: Writer, id: number, dismissed: number): Promise<void> {
  await db.updateTable('questions').set({ dismissed }).where('id', '=', id).execute();
}

export async function saveAnswer(db: Writer, id: number, answer: string, answered: number): Promise<void> {
  await db.updateTable('questions').set({ answer, answered }).where('id', '=', id).execute();
}

function fromRow({ signal_id: _, approves: __, ...row }: Selectable<Database['questions']>): Question {
  return { ...row, blocking: row.blocking === 1, options: fromJson(row.options) };
}
