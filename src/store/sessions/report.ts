// Everything a report needs about one run, found by the run's sessions.
import type { FlakyGate, GateResult } from '../../domain/sessions/gate.ts';
import type { Session } from '../../domain/sessions/session.ts';
import type { Signal } from '../../domain/sessions/signal.ts';
import type { Question, Status } from '../../domain/tasks/task.ts';
import type { Reader } from '../database.ts';
import { fromJson } from '../rows.ts';
import { sessionFromRow } from './sessions.ts';

/** In the order of their start, each with the current state of its task. */
export async function sessionsOfRun(
  db: Reader,
  run_id: number,
): Promise<{ session: Session; title: string; status: Status }[]> {
  const rows = await db
    .selectFrom('sessions')
    .innerJoin('tasks', 'tasks.id', 'sessions.task_id')
    .selectAll('sessions')
    .select(['tasks.title', 'tasks.status'])
    .where('sessions.run_id', '=', run_id)
    .orderBy('sessions.started')
    .orderBy('sessions.id')
    .execute();
  return rows.map(({ title, status, ...row }) => ({ session: sessionFromRow(row), title, status }));
}

export type GateOfRun = Pick<GateResult, 'name' | 'command' | 'exit_code' | 'tail' | 'log'> & {
  task_id: number;
  session_id: string;
  passed: boolean;
  required: boolean;
};

export async function gatesOfRun(db: Reader, run_id: number): Promise<GateOfRun[]> {
  const rows = await db
    .selectFrom('gate_runs')
    .innerJoin('sessions', 'sessions.id', 'gate_runs.session_id')
    .select([
      'sessions.task_id',
      'gate_runs.session_id',
      'name',
      'command',
      'passed',
      'required',
      'exit_code',
      'tail',
      'log',
    ])
    .where('sessions.run_id', '=', run_id)
    .where('gate_runs.baseline', '=', 0)
    .orderBy('gate_runs.id')
    .execute();
  return rows.map((row) => ({ ...row, passed: row.passed === 1, required: row.required === 1 }));
}

/** Gates before a session count too. A flaky result stands for two runs. */
export async function flakyGatesOfRun(db: Reader, run_id: number): Promise<FlakyGate[]> {
  const rows = await db
    .selectFrom('gate_runs')
    .innerJoin('sessions', 'sessions.id', 'gate_runs.session_id')
    .select([
      'name',
      (eb) => eb.fn.sum<number>('flaky').as('red'),
      (eb) => eb.fn.countAll<number>().as('results'),
    ])
    .where('sessions.run_id', '=', run_id)
    .groupBy('name')
    .orderBy('name')
    .execute();
  return rows
    .filter(({ red }) => red > 0)
    .map(({ name, red, results }) => ({ name, red, runs: results + red }));
}

export async function signalsOfRun(
  db: Reader,
  run_id: number,
): Promise<{ task_id: number; session_id: string; signal: Signal }[]> {
  const rows = await db
    .selectFrom('signals')
    .innerJoin('sessions', 'sessions.id', 'signals.session_id')
    .select(['sessions.task_id', 'signals.session_id', 'signals.verb', 'signals.payload'])
    .where('sessions.run_id', '=', run_id)
    .orderBy('signals.id')
    .execute();
  return rows.map(({ task_id, session_id, verb, payload }) => ({
    task_id,
    session_id,
    signal: { verb, ...fromJson<object>(payload) } as Signal,
  }));
}

export type QuestionOfRun = Pick<
  Question,
  'id' | 'task_id' | 'question' | 'answer' | 'dismissed' | 'blocking'
>;

export async function questionsOfRun(db: Reader, run_id: number): Promise<QuestionOfRun[]> {
  const rows = await db
    .selectFrom('questions')
    .innerJoin('signals', 'signals.id', 'questions.signal_id')
    .innerJoin('sessions', 'sessions.id', 'signals.session_id')
    .select(['questions.id', 'questions.task_id', 'question', 'answer', 'dismissed', 'blocking'])
    .where('sessions.run_id', '=', run_id)
    .orderBy('questions.id')
    .execute();
  return rows.map((row) => ({ ...row, blocking: row.blocking === 1 }));
}

export type LearningOfRun = {
  id: number;
  task_id: number | null;
  feature: string | null;
  scope: string;
  category: string;
  body: string;
  reason: string | null;
};

export const learningsOfRun = (db: Reader, run_id: number): Promise<LearningOfRun[]> =>
  db
    .selectFrom('feature_comments as learnings')
    .innerJoin('sessions', 'sessions.id', 'learnings.session_id')
    .select(['learnings.id', 'learnings.task_id', 'feature', 'scope', 'category', 'body', 'reason'])
    .where('sessions.run_id', '=', run_id)
    .orderBy('learnings.id')
    .execute();

/** Commit by session. */
export async function commitsOfRun(db: Reader, run_id: number): Promise<Map<string, string>> {
  const rows = await db
    .selectFrom('receipts')
    .innerJoin('sessions', 'sessions.id', 'receipts.session_id')
    .select(['receipts.session_id', 'receipts.commit_id'])
    .where('sessions.run_id', '=', run_id)
    .where('receipts.commit_id', 'is not', null)
    .orderBy('receipts.id')
    .execute();
  return new Map(rows.map(({ session_id, commit_id }) => [session_id, commit_id ?? '']));
}
