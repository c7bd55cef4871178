// Lists and counts of learnings: by feature, by age, and by value.
import type { Learning } from '../../domain/learnings/learning.ts';
import type { Reader } from '../database.ts';
import { learningFromRow } from './learnings.ts';

export type LearningFilter = {
  /** Null: learnings of no feature. */
  feature?: string | null;
  run_id?: number;
  archived?: boolean;
  /** False: only those that wait for a gate or a person. */
  proven?: boolean;
};

/** Newest first. */
export async function listLearnings(
  db: Reader,
  { feature, run_id, archived = false, proven }: LearningFilter,
  limit: number,
): Promise<Learning[]> {
  let query = db
    .selectFrom('feature_comments')
    .selectAll()
    .where('archived', archived ? 'is not' : 'is', null);
  if (feature !== undefined) query = query.where('feature', feature === null ? 'is' : '=', feature);
  if (proven !== undefined) query = query.where('proven', proven ? 'is not' : 'is', null);
  if (proven === false) query = query.where('scope', '<>', 'task');
  if (run_id !== undefined)
    query = query.where('session_id', 'in', (from) =>
      from.selectFrom('sessions').select('sessions.id').where('run_id', '=', run_id),
    );
  return (await query.orderBy('id', 'desc').limit(limit).execute()).map(learningFromRow);
}

/** Active learnings of the feature, or of the whole project for null; newest first. Those that wait for proof count apart. */
export async function newestLearningIds(
  db: Reader,
  feature: string | null,
  limit: number,
  isProven = true,
): Promise<number[]> {
  const rows = await activeIn(db, feature, isProven)
    .select('id')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/** Active learnings that only sessions of this task get. */
export async function learningIdsOfTask(db: Reader, task_id: number, limit: number): Promise<number[]> {
  const rows = await db
    .selectFrom('feature_comments')
    .select('id')
    .where(({ eb, or }) => or([eb('scope', '=', 'task'), eb('proven', 'is', null)]))
    .where('task_id', '=', task_id)
    .where('archived', 'is', null)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/** All newer learnings that contradict this one, archived ones included. */
export async function allContradictions(db: Reader, id: number): Promise<Learning[]> {
  const rows = await db
    .selectFrom('feature_comments')
    .selectAll()
    .where('conflicts_with', '=', id)
    .orderBy('id')
    .execute();
  return rows.map(learningFromRow);
}

/** Active newer learnings that contradict one of these, by the id of the older one. `proven`: leaves out those that wait for proof. */
export async function activeContradictions(
  db: Reader,
  ids: readonly number[],
  { proven = false }: { proven?: boolean } = {},
): Promise<Map<number, Learning>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('feature_comments')
    .selectAll()
    .where('conflicts_with', 'in', ids)
    .where('archived', 'is', null)
    .orderBy('id')
    .execute();
  const counted = proven ? rows.filter((row) => row.proven !== null) : rows;
  return new Map(counted.map((row) => [row.conflicts_with ?? 0, learningFromRow(row)]));
}

/**
 * The active learnings beyond the best `keep`, ranked by confirmations, then passes, then age. The `spared` ones rank first: new
 * learnings have had no time to be confirmed.
 */
export async function leastValuableLearnings(
  db: Reader,
  feature: string | null,
  keep: number,
  spared: readonly number[],
  isProven = true,
): Promise<Learning[]> {
  const rows = await activeIn(db, feature, isProven)
    .selectAll()
    .orderBy((eb) => eb('id', 'in', [...spared]), 'desc')
    .orderBy('confirmations', 'desc')
    .orderBy('passed', 'desc')
    .orderBy('id', 'desc')
    // SQLite knows an offset only after a limit.
    .limit(Number.MAX_SAFE_INTEGER)
    .offset(keep)
    .execute();
  return rows.map(learningFromRow);
}

const activeIn = (db: Reader, feature: string | null, isProven: boolean) =>
  db
    .selectFrom('feature_comments')
    .where('feature', feature === null ? 'is' : '=', feature)
    .where('scope', feature === null ? '=' : '<>', feature === null ? 'project' : 'task')
    .where('archived', 'is', null)
    .where('proven', isProven ? 'is not' : 'is', null);

/** By feature; null for learnings of none. */
export async function countLearnings(
  db: Reader,
  { archived = false }: Pick<LearningFilter, 'archived'> = {},
): Promise<Map<string | null, number>> {
  const rows = await db
    .selectFrom('feature_comments')
    .select(({ fn }) => ['feature', fn.countAll<number>().as('count')])
    .where('archived', archived ? 'is not' : 'is', null)
    .groupBy('feature')
    .execute();
  return new Map(rows.map(({ feature, count }) => [feature, Number(count)]));
}

export async function countArchived(db: Reader): Promise<number> {
  const { count } = await db
    .selectFrom('feature_comments')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('archived', 'is not', null)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Learnings that the sessions of this run added. */
export async function countLearningsOfRun(db: Reader, run_id: number): Promise<number> {
  const { count } = await db
    .selectFrom('feature_comments')
    .innerJoin('sessions', 'sessions.id', 'feature_comments.session_id')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('sessions.run_id', '=', run_id)
    .executeTakeFirstOrThrow();
  return Number(count);
}
