import type { Run } from '../../domain/sessions/session.ts';
import type { Reader } from '../database.ts';

export type RunRecord = Run & { stop_reason: string | null };

export const RUN_COLUMNS = [
  'id',
  'kind',
  'pid',
  'process_started',
  'host',
  'boot',
  'pid_namespace',
  'heartbeat',
  'started',
  'ended',
  'stop_reason',
] as const;

export async function findRun(db: Reader, id: number): Promise<RunRecord | null> {
  return (await db.selectFrom('runs').select(RUN_COLUMNS).where('id', '=', id).executeTakeFirst()) ?? null;
}

/** The latest supervisor run that started a session. `before`: only runs with a smaller id. */
export async function latestRunWithSessions(
  db: Reader,
  before = Number.MAX_SAFE_INTEGER,
): Promise<RunRecord | null> {
  const row = await db
    .selectFrom('runs')
    .select(RUN_COLUMNS)
    .where('kind', '=', 'supervisor')
    .where('id', '<', before)
    .where('id', 'in', db.selectFrom('sessions').select('run_id'))
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row ?? null;
}
