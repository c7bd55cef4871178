import { sql } from 'kysely';
import type { Signal } from '../../domain/sessions/signal.ts';
import { builtOnce } from '../built-once.ts';
import type { Reader, Writer } from '../database.ts';
import { fromJson, toJson } from '../json.ts';

export type StoredSignal = { id: number; created: number; signal: Signal };

export type NewSignal = { session_id: string; call_id: string | null; signal: Signal; created: number };

/**
 * Stores what a session says if it may still speak: it holds the newest token of a running task, and its finish has not begun.
 * One statement, because every word of every agent waits for it. Null where it may not.
 */
export async function insertSignal(
  db: Writer,
  { session_id, call_id, signal, created }: NewSignal,
): Promise<{ id: number; task_id: number; run_id: number } | null> {
  const { verb, ...payload } = signal;
  const [inserted] = await insertSpoken(db, [call_id, verb, toJson(payload), created, session_id]);
  return inserted ?? null;
}

const insertSpoken = builtOnce<{ id: number; task_id: number; run_id: number }>(
  ([call_id, verb, payload, created, session_id]) => sql`
    insert into signals (session_id, call_id, verb, payload, created)
    select sessions.id, ${call_id}, ${verb}, ${payload}, ${created}
    from sessions join tasks on tasks.id = sessions.task_id
    where sessions.id = ${session_id} and sessions.closing is null
      and tasks.status = 'in_progress' and tasks.token = sessions.token
    returning id,
      (select task_id from sessions where id = session_id) as task_id,
      (select run_id from sessions where id = session_id) as run_id`,
);

/** Those that count: not the ones that came after the agent was told to end, while that was being written down. */
export async function countedSignals(
  db: Reader,
  session_id: string,
  until: number | null,
): Promise<Signal[]> {
  const all = await signalsOfSession(db, session_id);
  return all.flatMap(({ created, signal }) => (until === null || created <= until ? [signal] : []));
}

/** The same signal without what must not be stored. */
export async function rewriteSignal(db: Writer, id: number, { verb: _, ...payload }: Signal): Promise<void> {
  await db
    .updateTable('signals')
    .set({ payload: toJson(payload) })
    .where('id', '=', id)
    .execute();
}

export async function findSignalByCall(
  db: Reader,
  session_id: string,
  call_id: string,
): Promise<number | null> {
  const row = await db
    .selectFrom('signals')
    .select('id')
    .where('session_id', '=', session_id)
    .where('call_id', '=', call_id)
    .executeTakeFirst();
  return row?.id ?? null;
}

export async function signalsOfSession(db: Reader, session_id: string): Promise<StoredSignal[]> {
  const rows = await db
    .selectFrom('signals')
    .selectAll()
    .where('session_id', '=', session_id)
    .orderBy('id')
    .execute();
  return rows.map(({ id, verb, payload, created }) => ({
    id,
    created,
    signal: { verb, ...fromJson<object>(payload) } as Signal,
  }));
}
