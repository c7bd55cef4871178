import { requireLearnable } from '../../domain/learnings/learning.ts';
import { type ClosingVerb, isClosing, type Signal, type SignalOf } from '../../domain/sessions/signal.ts';
import { requireStorable } from '../../domain/text/text.ts';
import type { Writer } from '../../store/database.ts';
import { appendEvents } from '../../store/events.ts';
import { findSignalByCall, insertSignal, signalsOfSession } from '../../store/sessions/signals.ts';
import { findQuestionOfSignal, insertQuestion } from '../../store/tasks/questions.ts';
import type { Queue } from '../queue.ts';
import { whyNotSpeaking } from './live-session.ts';

export type SignalInput = {
  session_id: string;
  /** One id a call: the same call sent again is the same signal. */
  call_id: string | null;
  signal: Signal;
};

export type Recorded = {
  signal_id: number;
  repeated: boolean;
  /** The closing verb that this one takes the place of. */
  replaced: ClosingVerb | null;
  /** What an `ask` became. */
  question_id: number | null;
};

/** On disk when the promise is fulfilled, so "recorded" may be said then and not before. */
export function record(queue: Queue, { session_id, call_id, signal }: SignalInput): Promise<Recorded> {
  const at = queue.now();
  requireStorable(signal.verb, signal);
  if (signal.verb === 'learned') requireLearnable(signal.text, signal.rationale ?? null);
  return queue.store.write(async (db) => {
    const known = call_id === null ? null : await findSignalByCall(db, session_id, call_id);
    if (known !== null) {
      const question_id = await findQuestionOfSignal(db, known);
      return { signal_id: known, repeated: true, replaced: null, question_id };
    }
    const replaced = isClosing(signal) ? await earlierClosing(db, session_id) : null;
    const inserted = await insertSignal(db, { session_id, call_id, signal, created: at });
    if (inserted === null) throw await whyNotSpeaking(db, session_id);
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
    const question_id =
      signal.verb === 'ask' ? await openQuestion(db, { task_id, session_id, signal_id }, signal, at) : null;
    return { signal_id, repeated: false, replaced, question_id };
  });
}

async function earlierClosing(db: Writer, session_id: string): Promise<ClosingVerb | null> {
  const signals = await signalsOfSession(db, session_id);
  return signals.map(({ signal }) => signal).findLast(isClosing)?.verb ?? null;
}

// Opened at once and not at settle: a person may answer while the session is still running.
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
