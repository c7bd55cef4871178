import { maskValue } from '../../domain/secrets/mask-secrets.ts';
import type { Writer } from '../../store/database.ts';
import { reviewRowsOfSession, rewriteReview } from '../../store/sessions/reviews.ts';
import { rewriteSignal, signalsOfSession } from '../../store/sessions/signals.ts';
import { questionsOfSession, rewriteQuestion } from '../../store/tasks/questions.ts';
import type { Queue } from '../queue.ts';

/**
 * Masks the stored signals, questions and reviews of a session again. The session's MCP server sees little of the environment, so
 * it cannot recognize every secret. The process that finishes the session can.
 */
export async function maskSession({ mask }: Queue, db: Writer, session_id: string): Promise<void> {
  for (const { id, signal } of await signalsOfSession(db, session_id)) {
    const masked = maskValue(signal, mask);
    if (differs(masked, signal)) await rewriteSignal(db, id, masked);
  }
  for (const question of await questionsOfSession(db, session_id)) {
    const masked = maskValue(question, mask);
    if (differs(masked, question)) await rewriteQuestion(db, masked);
  }
  for (const review of await reviewRowsOfSession(db, session_id)) {
    const masked = mask(review.text);
    if (masked !== review.text) await rewriteReview(db, review.id, masked);
  }
}

const differs = (one: unknown, other: unknown): boolean => JSON.stringify(one) !== JSON.stringify(other);
