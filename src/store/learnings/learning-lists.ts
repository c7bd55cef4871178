// Learnings by where they belong, by when they came, and by what they are worth.
import type { Learning } from '../../domain/learnings/learning.ts';
import type { Reader } from '../database.ts';
import { learningFromRow } from './learnings.ts';

export type LearningFilter = {
  /** Null: those of no feature. */
  feature?: string | null;
  run_id?: number;
  archived?: boolean;
};

/** The newest first. */
export async function listLearnings(
  db: Reader,
  { feature, run_id, archived = false }: LearningFilter,
  limit: number,
): Promise<Learning[]> {
  let query = db
    .selectFrom('feature_comments')
    .selectAll()
    .where('archived', archived ? 'is not' : 'is', null);
  if (feature !== undefined) query = query.where('feature', feature === null ? 'is' : '=', feature);
  if (run_id !== undefined)
    query = query.where('session_id', 'in', (from) =>
      from.selectFrom('sessions').select('sessions.id').where('run_id', '=', run_id),
    );
  return (await query.orderBy('id', 'desc').limit(limit).execute()).map(learningFromRow);
}

/** Active ones of the feature itself, or of the whole project for null, the newest first. */
export async function newestOf(db: Reader, feature: string | null, limit: number): Promise<number[]> {
  const rows = await activeIn(db, feature).select('id').orderBy('id', 'desc').limit(limit).execute();
  return rows.map(({ id }) => id);
}

/** What a task has learned for itself alone. */
export async function ofTask(db: Reader, task_id: number, limit: number): Promise<number[]> {
  const rows = await db
    .selectFrom('feature_comments')
    .select('id')
    .where('scope', '=', 'task')
    .where('task_id', '=', task_id)
    .where('archived', 'is', null)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/** All newer ones that are at odds with this one, in the archive, too. */
export async function contradicting(db: Reader, id: number): Promise<Learning[]> {
  const rows = await db.selectFrom('feature_comments').selectAll().where('conflicts_with', '=', id).execute();
  return rows.map(learningFromRow);
}

/** The newer ones that are at odds with one of these, by the older one's id. */
export async function contradictionsOf(db: Reader, ids: readonly number[]): Promise<Map<number, Learning>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('feature_comments')
    .selectAll()
    .where('conflicts_with', 'in', ids)
    .where('archived', 'is', null)
    .orderBy('id')
    .execute();
  return new Map(rows.map((row) => [row.conflicts_with ?? 0, learningFromRow(row)]));
}

/**
 * Those beyond as many as are kept: the least confirmed, the least helpful, the oldest. Never one of the spared: what is new
 * has had no time to be confirmed.
 */
export async function leastOf(
  db: Reader,
  feature: string | null,
  keep: number,
  spared: readonly number[],
): Promise<Learning[]> {
  const rows = await activeIn(db, feature)
    .selectAll()
    .orderBy((eb) => eb('id', 'in', [...spared]), 'desc')
    .orderBy('confirmations', 'desc')
    .orderBy('passed', 'desc')
    .orderBy('id', 'desc')
    .limit(-1)
    .offset(keep)
    .execute();
  return rows.map(learningFromRow);
}

const activeIn = (db: Reader, feature: string | null) =>
  db
    .selectFrom('feature_comments')
    .where('feature', feature === null ? 'is' : '=', feature)
    .where('scope', feature === null ? '=' : '<>', feature === null ? 'project' : 'task')
    .where('archived', 'is', null);

/** By feature; null for those of none. */
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

/** What the sessions of this run left. */
export async function countLearningsOfRun(db: Reader, run_id: number): Promise<number> {
  const { count } = await db
    .selectFrom('feature_comments')
    .innerJoin('sessions', 'sessions.id', 'feature_comments.session_id')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('sessions.run_id', '=', run_id)
    .executeTakeFirstOrThrow();
  return Number(count);
}
