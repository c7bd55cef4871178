import { Refusal } from '../../domain/refusal.ts';
import type { Review } from '../../domain/sessions/settle.ts';
import { requireStorable } from '../../domain/text/text.ts';
import { appendEvents } from '../../store/events.ts';
import { insertReview, reviewsOfSession } from '../../store/sessions/reviews.ts';
import { findSession } from '../../store/sessions/sessions.ts';
import type { Queue } from '../queue.ts';

type ReviewInput = { session_id: string; call_id: string | null; review: Review };

/**
 * Stores a reviewer's verdict on a session's work; false if the same call was already stored. It decides nothing: the finish that
 * asked for the review reads it.
 */
export function recordReview(queue: Queue, { session_id, call_id, review }: ReviewInput): Promise<boolean> {
  const at = queue.now();
  requireStorable('review', review);
  return queue.store.write(async (db) => {
    const session = await findSession(db, session_id);
    if (session === null) throw new Refusal(`There is no session ${session_id}; nothing was changed.`);
    // An agent that is still at work would judge itself.
    if (session.closing === null)
      throw new Refusal(`Session ${session_id} is still at work; nothing was changed.`);
    if (!(await insertReview(db, { session_id, call_id, review, created: at }))) return false;
    const { task_id, run_id } = session;
    const data = { approved: review.approved };
    await appendEvents(db, [{ at, kind: 'review.recorded', task_id, session_id, run_id, data }]);
    return true;
  });
}

/** Oldest first. */
export const sessionReviews = (queue: Queue, session_id: string): Promise<Review[]> =>
  queue.store.read((db) => reviewsOfSession(db, session_id));
