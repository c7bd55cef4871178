import type { Review } from '../../domain/sessions/settle.ts';
import type { Reader, Writer } from '../database.ts';

/** False if the same call was already stored. */
export async function insertReview(
  db: Writer,
  { session_id, call_id, review, created }: NewReview,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('reviews')
    .values({
      session_id,
      call_id,
      approved: review.approved ? 1 : 0,
      text: review.approved ? '' : review.text,
      created,
    })
    .onConflict((conflict) => conflict.columns(['session_id', 'call_id']).doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

type NewReview = { session_id: string; call_id: string | null; review: Review; created: number };

export async function reviewsOfSession(db: Reader, session_id: string): Promise<Review[]> {
  const rows = await db
    .selectFrom('reviews')
    .select(['approved', 'text'])
    .where('session_id', '=', session_id)
    .orderBy('id')
    .execute();
  return rows.map(({ approved, text }) => (approved === 1 ? { approved: true } : { approved: false, text }));
}

export const reviewRowsOfSession = (
  db: Reader,
  session_id: string,
): Promise<{ id: number; text: string }[]> =>
  db
    .selectFrom('reviews')
    .select(['id', 'text'])
    .where('session_id', '=', session_id)
    .orderBy('id')
    .execute();

/** Replaces the text by its masked version. */
export async function rewriteReview(db: Writer, id: number, text: string): Promise<void> {
  await db.updateTable('reviews').set({ text }).where('id', '=', id).execute();
}
