import { type SqlBool, sql } from 'kysely';
import type { Channel, EventKind, RalphEvent } from '../domain/event.ts';
import type { StopTime } from '../domain/sessions/session.ts';
import type { Reader, Writer } from './database.ts';
import { fromJson, insertRows, toJson } from './rows.ts';

type NewEvent = {
  at: number;
  kind: EventKind;
  task_id?: number | null;
  session_id?: string | null;
  run_id?: number | null;
  data?: object;
};

/** The caller of `openStore` sets the channel once for all its events. */
const via = sql<Channel | null>`opened_via()`;

export const appendEvents = (db: Writer, events: readonly NewEvent[]): Promise<void> =>
  insertRows(
    db,
    'events',
    events.map(({ at, kind, task_id = null, session_id = null, run_id = null, data = {} }) => ({
      at,
      kind,
      task_id,
      session_id,
      run_id,
      data: toJson(data),
      via,
    })),
  );

export async function eventsAfter(db: Reader, id: number, limit = 1000): Promise<RalphEvent[]> {
  const rows = await db
    .selectFrom('events')
    .selectAll()
    .where('id', '>', id)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map((row) => ({ ...row, data: fromJson(row.data) }));
}

/** Without a limit, for a comparison of two databases. */
export const allEventsAfter = (db: Reader, id: number): Promise<RalphEvent[]> =>
  eventsAfter(db, id, Number.MAX_SAFE_INTEGER);

export async function lastEventId(db: Reader): Promise<number> {
  const row = await db
    .selectFrom('events')
    .select(({ fn }) => fn.max('id').as('last'))
    .executeTakeFirst();
  return row?.last ?? 0;
}

/** The newest events of a kind, oldest first. */
export async function latestEvents(
  db: Reader,
  { kind, session_id }: { kind: EventKind; session_id?: string },
  limit: number,
): Promise<RalphEvent[]> {
  const ofKind = db.selectFrom('events').selectAll().where('kind', '=', kind);
  const found = session_id === undefined ? ofKind : ofKind.where('session_id', '=', session_id);
  const rows = await found.orderBy('id', 'desc').limit(limit).execute();
  return rows.map((row) => ({ ...row, data: fromJson(row.data) })).reverse();
}

/** The kind is a literal: SQLite uses the partial index of this kind only if the statement names it. */
export async function stopRequests(db: Reader, run_id: number): Promise<StopTime[]> {
  const rows = await db
    .selectFrom('events')
    .select('data')
    .where(sql<SqlBool>`kind = 'run.stop_asked'`)
    .where('run_id', '=', run_id)
    .orderBy('id')
    .execute();
  return rows.map(({ data }) => fromJson<{ when: StopTime }>(data).when);
}

/** Of planning sessions that ended after the one time and not after the other. Names the kind for its partial index, too. */
export async function planningEvents(db: Reader, after: number, until: number): Promise<RalphEvent[]> {
  const rows = await db
    .selectFrom('events')
    .selectAll()
    .where(sql<SqlBool>`kind = 'planning.ended'`)
    .where('at', '>', after)
    .where('at', '<=', until)
    .orderBy('at')
    .orderBy('id')
    .execute();
  return rows.map((row) => ({ ...row, data: fromJson(row.data) }));
}

/** How often work of the run landed, and how often something kept it from landing. Names the kind for its partial index, too. */
export async function countLandings(
  db: Reader,
  run_id: number,
): Promise<{ landed: number; conflicts: number }> {
  const rows = await db
    .selectFrom('events')
    .select('data')
    .where(sql<SqlBool>`kind = 'landing.ended'`)
    .where('run_id', '=', run_id)
    .execute();
  const landed = rows.filter(({ data }) => fromJson<{ state: string }>(data).state === 'landed').length;
  return { landed, conflicts: rows.length - landed };
}

/** The newest events of a task, oldest first. The condition repeats that of the partial index `events_task`, or SQLite skips it. */
export async function eventsOfTask(db: Reader, task_id: number, limit: number): Promise<RalphEvent[]> {
  const rows = await db
    .selectFrom('events')
    .selectAll()
    .where('task_id', '=', task_id)
    .where(sql<SqlBool>`kind not in ('task.added', 'signal.recorded')`)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  return rows.map((row) => ({ ...row, data: fromJson(row.data) })).reverse();
}

/** Uses the partial index `events_task`, too. */
export async function hasChangedStatusSince(db: Reader, task_id: number, event_id: number): Promise<boolean> {
  const row = await db
    .selectFrom('events')
    .select('id')
    .where('task_id', '=', task_id)
    .where(sql<SqlBool>`kind not in ('task.added', 'signal.recorded')`)
    .where('kind', '=', 'task.status')
    .where('id', '>', event_id)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
