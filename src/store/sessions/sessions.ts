import type { Selectable } from 'kysely';
import type {
  ProcessIdentity,
  RunKind,
  Session,
  SessionEnd,
  SessionPhase,
  Usage,
} from '../../domain/sessions/session.ts';
import type { Database, Reader, Writer } from '../database.ts';
import { databaseClock } from '../dialect.ts';
import { fromJson, toJson } from '../rows.ts';
import { identityFromRow, OWNER_COLUMNS } from './runs.ts';

export async function insertSession(
  db: Writer,
  session: Pick<Session, 'id' | 'run_id' | 'task_id' | 'token' | 'base_commit' | 'root' | 'started'>,
): Promise<void> {
  await db
    .insertInto('sessions')
    .values({
      ...session,
      closing: null,
      ended: null,
      end_state: null,
      outcome: null,
      model: null,
      turns: 0,
      input_tokens: 0,
      output_tokens: 0,
      cost_usd: 0,
    })
    .execute();
}

export async function findSession(db: Reader, id: string): Promise<Session | null> {
  const row = await db.selectFrom('sessions').selectAll().where('id', '=', id).executeTakeFirst();
  return row === undefined ? null : sessionFromRow(row);
}

export async function sessionsOfTask(db: Reader, task_id: number): Promise<Session[]> {
  const rows = await db
    .selectFrom('sessions')
    .selectAll()
    .where('task_id', '=', task_id)
    .orderBy('token')
    .execute();
  return rows.map(sessionFromRow);
}

/** How often the task was tried: interrupted sessions are not charged. */
/** Of a task, or of all tasks of a feature. */
export async function sessionIds(
  db: Reader,
  of: { task_id: number } | { feature: string },
): Promise<string[]> {
  const all = db.selectFrom('sessions').innerJoin('tasks', 'tasks.id', 'task_id').select('sessions.id');
  const some =
    'feature' in of ? all.where('feature', '=', of.feature) : all.where('task_id', '=', of.task_id);
  return (await some.execute()).map(({ id }) => id);
}

export async function countTries(db: Reader, task_id: number): Promise<number> {
  const { count } = await db
    .selectFrom('sessions')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('task_id', '=', task_id)
    .where(({ eb }) => eb.or([eb('outcome', 'is', null), eb('outcome', '<>', 'interrupted')]))
    .executeTakeFirstOrThrow();
  return Number(count);
}

export type OpenSession = { session: Session; owner: SessionOwner };

/** The run that a session belongs to. One that has ended works on nothing, even if its process lives on. */
type SessionOwner = ProcessIdentity & { kind: RunKind; ended: number | null };

export async function openSessions(db: Reader): Promise<OpenSession[]> {
  const rows = await db
    .selectFrom('sessions')
    .innerJoin('runs', 'runs.id', 'sessions.run_id')
    .selectAll('sessions')
    .select(['runs.kind', 'runs.ended as run_ended', ...OWNER_COLUMNS, databaseClock(db).as('asked_at')])
    .where('sessions.ended', 'is', null)
    .orderBy('sessions.started')
    .orderBy('sessions.id')
    .execute();
  return rows.map(({ kind, run_ended, ...row }) => ({
    session: sessionFromRow(row),
    owner: { kind, ended: run_ended, ...identityFromRow(db, row) },
  }));
}

/** True for the run that gets the session: if several find a dead run's session, only one may settle it. */
export async function adoptSession(db: Writer, id: string, from: number, to: number): Promise<boolean> {
  const result = await db
    .updateTable('sessions')
    .set({ run_id: to })
    .where('id', '=', id)
    .where('run_id', '=', from)
    .where('ended', 'is', null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

export async function closeToSignals(db: Writer, id: string, closing: number): Promise<void> {
  await db
    .updateTable('sessions')
    .set({ closing })
    .where('id', '=', id)
    .where('closing', 'is', null)
    .execute();
}

/** True if the open session was in another phase. */
export async function updatePhase(db: Writer, id: string, phase: SessionPhase): Promise<boolean> {
  const result = await db
    .updateTable('sessions')
    .set({ phase })
    .where('id', '=', id)
    .where('ended', 'is', null)
    .where(({ eb, or }) => or([eb('phase', 'is', null), eb('phase', '<>', phase)]))
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

export async function updateWork(
  db: Writer,
  id: string,
  work: { slot: number; base_commit: string } | { work_commit: string },
): Promise<void> {
  await db.updateTable('sessions').set(work).where('id', '=', id).execute();
}

/** A person accepted the session's claim. */
export async function acceptOutcome(db: Writer, id: string, outcome: string): Promise<void> {
  await db.updateTable('sessions').set({ outcome }).where('id', '=', id).execute();
}

export async function endSession(
  db: Writer,
  id: string,
  { end, outcome, usage, next_model, ended }: SessionResult,
): Promise<void> {
  await db
    .updateTable('sessions')
    .set({ ended, outcome, phase: null, landing_since: null, end_state: toJson(end), next_model, ...usage })
    .where('id', '=', id)
    .execute();
}

type SessionResult = {
  end: SessionEnd;
  outcome: string;
  usage: Usage;
  next_model: string | null;
  ended: number;
};

export function sessionFromRow(row: Selectable<Database['sessions']>): Session {
  const { id, run_id, task_id, token, base_commit, root, started, closing, ended, outcome } = row;
  const { model, turns, input_tokens, output_tokens, cost_usd, next_model, slot, phase, work_commit } = row;
  return {
    id,
    run_id,
    task_id,
    token,
    base_commit,
    root,
    started,
    closing,
    ended,
    end: row.end_state === null ? null : fromJson(row.end_state),
    outcome,
    next_model,
    usage: { model, turns, input_tokens, output_tokens, cost_usd },
    slot,
    phase,
    work_commit,
  };
}
