// The history of runs, each with its results and cost.
import { sql } from 'kysely';
import type { Reader } from '../database.ts';
import { RUN_COLUMNS, type RunRecord } from './runs.ts';

export type ListedRun = RunRecord & {
  sessions: number;
  /** How many tasks the run finished. */
  done: number;
  cost_usd: number;
  input_tokens: number;
  output_tokens: number;
};

/** Newest first. `before`: only runs with a smaller id. */
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
  const sumByRun = new Map(sums.map(({ run_id, ...sum }) => [run_id, sum]));
  return runs.map((run) => ({ ...run, ...(sumByRun.get(run.id) ?? NO_SESSIONS) }));
}

const NO_SESSIONS = { sessions: 0, done: 0, cost_usd: 0, input_tokens: 0, output_tokens: 0 };
