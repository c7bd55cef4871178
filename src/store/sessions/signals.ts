import { CompiledQuery, type RawBuilder, sql } from 'kysely';
import type { Signal } from '../../domain/sessions/signal.ts';
import type { Reader, Writer } from '../database.ts';
import { StatementTexts } from '../dialect.ts';
import { fromJson, toJson } from '../rows.ts';

export type StoredSignal = { id: number; created: number; signal: Signal };

type NewSignal = { session_id: string; call_id: string | null; signal: Signal; created: number };

/**
 * Stores a signal if the session is live: it holds the newest token of a running task, and its finish has not begun. Null
 * otherwise. It is one statement, because each tool call of each agent waits for it.
 */
export async function insertSignal(
  db: Writer,
  { session_id, call_id, signal, created }: NewSignal,
): Promise<{ id: number; task_id: number; run_id: number } | null> {
  const { verb, ...payload } = signal;
  const [inserted] = await insertIfLive(db, [call_id, verb, toJson(payload), created, session_id]);
  return inserted ?? null;
}

const insertIfLive = compileOnce<{ id: number; task_id: number; run_id: number }>(
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

/** Signals up to `until`, when the supervisor told the agent to end. Later ones do not count. */
export async function countedSignals(
  db: Reader,
  session_id: string,
  until: number | null,
): Promise<Signal[]> {
  const all = await signalsOfSession(db, session_id);
  return all.flatMap(({ created, signal }) => (until === null || created <= until ? [signal] : []));
}

/** Replaces the payload by its masked version. */
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
  return rows.map(({ id, verb, payload, created }) => ({ id, created, signal: toSignal(verb, payload) }));
}

export const toSignal = (verb: Signal['verb'], payload: string): Signal =>
  ({ verb, ...fromJson<object>(payload) }) as Signal;

/**
 * For a frequent statement: building its text costs as much as running it. The text must use each parameter once, in order.
 */
function compileOnce<Row>(
  build: (parameters: readonly unknown[]) => RawBuilder<Row>,
): (db: Reader, parameters: readonly unknown[]) => Promise<Row[]> {
  const texts = new StatementTexts();
  return async (db, parameters) => {
    const known = texts.find(db, '');
    const text = known ?? build(parameters).compile(db).sql;
    if (known === undefined) texts.keep(db, '', text);
    return (await db.executeQuery<Row>(CompiledQuery.raw(text, [...parameters]))).rows;
  };
}
