// Which learnings a session was given, and how often that led to a pass.
import type { Reader, Writer } from '../database.ts';
import { insertRows } from '../rows.ts';

export const insertGivenLearnings = (db: Writer, session_id: string, ids: readonly number[]): Promise<void> =>
  insertRows(
    db,
    'session_learnings',
    ids.map((learning_id) => ({ session_id, learning_id })),
  );

export async function givenLearningIds(db: Reader, session_id: string): Promise<number[]> {
  const rows = await db
    .selectFrom('session_learnings')
    .select('learning_id')
    .where('session_id', '=', session_id)
    .orderBy('learning_id')
    .execute();
  return rows.map(({ learning_id }) => learning_id);
}

/** The journal identifies learnings by hash. */
export async function givenLearningHashes(db: Reader, session_id: string): Promise<string[]> {
  const rows = await db
    .selectFrom('session_learnings as given')
    .innerJoin('feature_comments as learnings', 'learnings.id', 'given.learning_id')
    .select('learnings.hash')
    .where('given.session_id', '=', session_id)
    .orderBy('learnings.id')
    .execute();
  return rows.map(({ hash }) => hash);
}

export async function countGivenLearnings(
  db: Writer,
  ids: readonly number[],
  hasPassed: boolean,
): Promise<void> {
  if (ids.length === 0) return;
  await db
    .updateTable('feature_comments')
    .set(({ eb }) => ({
      given: eb('given', '+', 1),
      ...(hasPassed && { passed: eb('passed', '+', 1) }),
    }))
    .where('id', 'in', ids)
    .execute();
}
