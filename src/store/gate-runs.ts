import type { GateResult } from '../domain/gate.ts';
import type { Reader, Writer } from './database.ts';
import { insertRows } from './insert-rows.ts';

export const insertGateRuns = (
  db: Writer,
  session_id: string,
  results: readonly GateResult[],
  created: number,
): Promise<void> =>
  insertRows(
    db,
    'gate_runs',
    results.map(({ name, command, required, passed, exit_code, duration_ms, tail, log, tree_hash }) => ({
      session_id,
      name,
      command,
      required: required ? (1 as const) : (0 as const),
      passed: passed ? (1 as const) : (0 as const),
      exit_code,
      duration_ms,
      tail,
      log,
      tree_hash,
      created,
    })),
  );

export async function gateRunsOfSession(db: Reader, session_id: string): Promise<GateResult[]> {
  const rows = await db
    .selectFrom('gate_runs')
    .selectAll()
    .where('session_id', '=', session_id)
    .orderBy('id')
    .execute();
  return rows.map(({ id: _id, session_id: _session, created: _created, ...row }) => ({
    ...row,
    required: row.required === 1,
    passed: row.passed === 1,
  }));
}
