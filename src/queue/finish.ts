// A session has ended: gates, commit, settle, in the order that survives a crash at any point.
import { failedRequired, type GateResult, NO_WORK, type Work } from '../domain/gate.ts';
import type { SessionEnd, Usage } from '../domain/session.ts';
import type { Decision, Review } from '../domain/settle.ts';
import { type Closing, lastClosing } from '../domain/signal.ts';
import { keepable } from '../domain/text.ts';
import { appendEvents } from '../store/events.ts';
import { insertGateRuns } from '../store/gate-runs.ts';
import { closeToSignals } from '../store/sessions.ts';
import { signalsOfSession } from '../store/signals.ts';
import { type LiveSession, requireHeld } from './live-session.ts';
import type { Queue } from './queue.ts';
import { applySettlement } from './settle.ts';

/** What a finish needs of the world outside the database. Each may run again after a crash, so each must be repeatable. */
export type Machine = {
  runGates(live: LiveSession): Promise<GateResult[]>;
  commit(live: LiveSession, done: Closing): Promise<Work>;
  review?(live: LiveSession): Promise<Review>;
  /** Ends what a session of a dead run left running: it must not go on changing what is judged. */
  reap?(session_id: string): Promise<void>;
};

export type FinishInput = {
  session_id: string;
  /** The run that finishes it, which must be the one that holds it. */
  run_id: number;
  end: SessionEnd;
  usage: Usage;
  machine: Machine;
  limits: { max_attempts: number; stuck: number };
};

export async function finish(queue: Queue, input: FinishInput): Promise<Decision> {
  const { live, closing } = await close(queue, input);
  const proof = closing?.verb === 'done' ? await prove(queue, live, closing, input.machine) : NOTHING_CLAIMED;
  return applySettlement(queue, { ...input, ...proof });
}

/**
 * From here on the session takes no more signals: an agent that outlived its supervisor must not change what is being proven.
 */
function close(
  queue: Queue,
  { session_id, run_id }: FinishInput,
): Promise<{ live: LiveSession; closing: Closing | null }> {
  const at = queue.now();
  return queue.store.write(async (db) => {
    const live = await requireHeld(db, session_id, run_id);
    await closeToSignals(db, session_id, at);
    const signals = (await signalsOfSession(db, session_id)).map(({ signal }) => signal);
    return { live, closing: lastClosing(signals) };
  });
}

type Proof = { gates: readonly GateResult[]; review: Review | null; work: Work };

const NOTHING_CLAIMED: Proof = { gates: [], review: null, work: NO_WORK };

async function prove(queue: Queue, live: LiveSession, done: Closing, machine: Machine): Promise<Proof> {
  const gates = (await machine.runGates(live)).map(storable);
  await saveGates(queue, live, gates);
  if (failedRequired(gates).length > 0) return { ...NOTHING_CLAIMED, gates };
  const review = (await machine.review?.(live)) ?? null;
  if (review?.approved === false) return { ...NOTHING_CLAIMED, gates, review };
  // Asked again: gates take minutes, and a session that lost its task meanwhile must not commit.
  await queue.store.read((db) => requireHeld(db, live.session.id, live.session.run_id));
  return { gates, review, work: await machine.commit(live, done) };
}

/** A gate may print anything; what is kept of it must be storable. */
const storable = (gate: GateResult): GateResult => ({
  ...gate,
  tail: keepable(gate.tail),
  duration_ms: Math.round(gate.duration_ms),
});

function saveGates(queue: Queue, { session }: LiveSession, gates: readonly GateResult[]): Promise<void> {
  const at = queue.now();
  const { id: session_id, run_id } = session;
  return queue.store.write(async (db) => {
    await requireHeld(db, session_id, run_id);
    await insertGateRuns(db, session_id, gates, at);
    await appendEvents(
      db,
      gates.map(({ name, passed, required }) => ({
        at,
        kind: 'gate.finished' as const,
        task_id: session.task_id,
        session_id,
        run_id,
        data: { name, passed, required },
      })),
    );
  });
}
