import { sql } from 'kysely';
import type { Signal } from '../domain/signal.ts';
import type { Reader, Writer } from './database.ts';
import { fromJson, toJson } from './json.ts';

export type StoredSignal = { id: number; created: number; signal: Signal };

export async function insertSignal(
  db: Writer,
  row: { session_id: string; call_id: string | null; signal: Signal; created: number },
): Promise<number> {
  const { session_id, call_id, signal, created } = row;
  const { verb, ...payload } = signal;
  const { rows } = await sql<{ id: number }>`
    insert into signals (session_id, call_id, verb, payload, created)
    values (${session_id}, ${call_id}, ${verb}, ${toJson(payload)}, ${created}) returning id`.execute(db);
  const [inserted] = rows;
  if (inserted === undefined) throw new Error('the database answered an insert with nothing');
  return inserted.id;
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
