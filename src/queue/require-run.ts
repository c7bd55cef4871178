import { Refusal } from '../domain/refusal.ts';
import type { Reader } from '../store/database.ts';
import { findRun, type RunRecord } from '../store/sessions/runs.ts';

export async function requireRun(db: Reader, id: number): Promise<RunRecord> {
  const run = await findRun(db, id);
  if (run === null)
    throw new Refusal(`There is no run ${id}; ralph report shows the latest, with its number.`);
  return run;
}
