import type { Signal } from '../domain/signal.ts';
import type { Reader, Writer } from './database.ts';
import { fromJson, toJson } from './json.ts';

export type StoredSignal = { id: number; created: number; signal: Signal };

export async function insertSignal(
  db: Writer,
  row: { session_id: string; call_id: string | null; signal: Signal; created: number },
): Promise<number> {
  const { verb, ...payload } = row.signal;
  const { id } = await db
    .insertInto('signals')
    .values({
      session_id: row.session_id,
      call_id: row.call_id,
      verb,
      payload: toJson(payload),
      created: row.created,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
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
