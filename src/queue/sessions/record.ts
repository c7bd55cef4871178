import { requireLearnable } from '../../domain/learnings/learning.ts';
import { maskValue } from '../../domain/secrets/mask-secrets.ts';
import { type ClosingVerb, isClosing, type Signal, type SignalOf } from '../../domain/sessions/signal.ts';
import { flagContent } from '../../domain/tasks/flag.ts';
import { requireStorable } from '../../domain/text/text.ts';
import type { Writer } from '../../store/database.ts';
import { appendEvents } from '../../store/events.ts';
import { reviewRowsOfSession, rewriteReview } from '../../store/sessions/reviews.ts';
import {
  findSignalByCall,
  insertSignal,
  rewriteSignal,
  signalsOfSession,
} from '../../store/sessions/signals.ts';
import { openFlag } from '../../store/tasks/flags.ts';
import {
  findQuestionOfSignal,
  insertQuestion,
  questionsOfSession,
  rewriteQuestion,
} from '../../store/tasks/questions.ts';
import type { Queue } from '../queue.ts';
import { explainLostSession } from './live-session.ts';

type SignalInput = {
  session_id: string;
  /** One id per call: a call that is sent twice is one signal. */
  call_id: string | null;
  signal: Signal;
};

export type RecordResult = {
  signal_id: number;
  repeated: boolean;
  /** The earlier closing verb that this one replaces. */
  replaced: ClosingVerb | null;
  /** The question that an `ask` opened. */
  question_id: number | null;
};

/** On disk when the promise resolves: only then may a tool answer "recorded". */
export function record(queue: Queue, { session_id, call_id, signal }: SignalInput): Promise<RecordResult> {
  const at = queue.now();
  requireStorable(signal.verb, signal);
  if (signal.verb === 'learned') requireLearnable(signal.text, signal.rationale ?? null);
  return queue.store.write(async (db) => {
    const existing = call_id === null ? null : await findSignalByCall(db, session_id, call_id);
    if (existing !== null) {
      const question_id = await findQuestionOfSignal(db, existing);
      return { signal_id: existing, repeated: true, replaced: null, question_id };
    }
    const replaced = isClosing(signal) ? await earlierClosing(db, session_id) : null;
    const inserted = await insertSignal(db, { session_id, call_id, signal, created: at });
    if (inserted === null) throw await explainLostSession(db, session_id);
    const { id: signal_id, task_id, run_id } = inserted;
    await appendEvents(db, [
      {
        at,
        kind: 'signal.recorded',
        task_id,
        session_id,
        run_id,
        data: { signal: signal_id, verb: signal.verb },
      },
    ]);
    const flag = flagContent(signal);
    if (flag !== null && (await openFlag(db, { task_id, signal_id, severity: flag.severity })))
      await appendEvents(db, [
        {
          at,
          kind: 'flag.opened',
          task_id,
          session_id,
          data: { signal: signal_id, severity: flag.severity },
        },
      ]);
    const question_id =
      signal.verb === 'ask' ? await openQuestion(db, { task_id, session_id, signal_id }, signal, at) : null;
    return { signal_id, repeated: false, replaced, question_id };
  });
}

async function earlierClosing(db: Writer, session_id: string): Promise<ClosingVerb | null> {
  const signals = await signalsOfSession(db, session_id);
  return signals.map(({ signal }) => signal).findLast(isClosing)?.verb ?? null;
}

// Opened now and not at settle: a person may answer while the session still runs.
async function openQuestion(
  db: Writer,
  { task_id, session_id, signal_id }: { task_id: number; session_id: string; signal_id: number },
  ask: SignalOf<'ask'>,
  at: number,
): Promise<number> {
  const { question, blocking, options = [], preferred = null } = ask;
  const row = {
    task_id,
    signal_id,
    question,
    blocking,
    options,
    preferred,
    answer: null,
    asked: at,
    answered: null,
  };
  const id = await insertQuestion(db, row);
  await appendEvents(db, [
    { at, kind: 'question.asked', task_id, session_id, data: { question: id, blocking } },
  ]);
  return id;
}

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
