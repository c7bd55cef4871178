// Runs as somebody looks back at them, each with what came of it.
import { sql } from 'kysely';
import type { Reader } from '../database.ts';
import { RUN_COLUMNS, type RunRecord } from './runs.ts';

export type ListedRun = RunRecord & {
  sessions: number;
  /** Tasks that it has done. */
  done: number;
  cost_usd: number;
  input_tokens: number;
  output_tokens: number;
};

/** Newest first; only those before this one, if one is given. */
export async function latestRuns(db: Reader, limit: number, before: number | null): Promise<ListedRun[]> {
  const all = db.selectFrom('runs');
  const runs = await (before === null ? all : all.where('id', '<', before))
    .select(RUN_COLUMNS)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  if (runs.length === 0) return [];
  const sums = await db
    .selectFrom('sessions')
    .select(({ fn }) => [
      'run_id',
      fn.countAll<number>().as('sessions'),
      sql<number>`count(distinct case when outcome = 'done' then task_id end)`.as('done'),
      fn.sum<number>('cost_usd').as('cost_usd'),
      fn.sum<number>('input_tokens').as('input_tokens'),
      fn.sum<number>('output_tokens').as('output_tokens'),
    ])
    .where(
      'run_id',
      'in',
      runs.map(({ id }) => id),
    )
    .groupBy('run_id')
    .execute();
  const known = new Map(sums.map(({ run_id, ...sum }) => [run_id, sum]));
  return runs.map((run) => ({ ...run, ...(known.get(run.id) ?? NOTHING) }));
}

const NOTHING = { sessions: 0, done: 0, cost_usd: 0, input_tokens: 0, output_tokens: 0 };
