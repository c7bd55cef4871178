// A session has ended: gates, commit, settle, in the order that survives a crash at any point.
import { failedRequired, type GateResult, NO_WORK, type Work } from '../domain/gate.ts';
import type { SessionEnd, Usage } from '../domain/session.ts';
import type { Decision, Review } from '../domain/settle.ts';
import { type Closing, lastClosing } from '../domain/signal.ts';
import { appendEvents } from '../store/events.ts';
import { insertGateRuns } from '../store/gate-runs.ts';
import { signalsOfSession } from '../store/signals.ts';
import { type LiveSession, requireLive } from './live-session.ts';
import type { Queue } from './queue.ts';
import { applySettlement } from './settle.ts';

/** What a finish needs of the world outside the database. Each may run again after a crash, so each must be repeatable. */
export type Machine = {
  runGates(live: LiveSession): Promise<GateResult[]>;
  commit(live: LiveSession, done: Closing): Promise<Work>;
  review?(live: LiveSession): Promise<Review>;
};

export type FinishInput = {
  session_id: string;
  end: SessionEnd;
  usage: Usage;
  machine: Machine;
  limits: { max_attempts: number; stuck: number };
};

export async function finish(queue: Queue, input: FinishInput): Promise<Decision> {
  const { session_id, machine } = input;
  const { live, closing } = await queue.store.read(async (db) => ({
    live: await requireLive(db, session_id),
    closing: lastClosing((await signalsOfSession(db, session_id)).map(({ signal }) => signal)),
  }));
  const proof = closing?.verb === 'done' ? await prove(queue, live, closing, machine) : NOTHING_CLAIMED;
  return applySettlement(queue, { ...input, ...proof });
}

type Proof = { gates: readonly GateResult[]; review: Review | null; work: Work };

const NOTHING_CLAIMED: Proof = { gates: [], review: null, work: NO_WORK };

async function prove(queue: Queue, live: LiveSession, done: Closing, machine: Machine): Promise<Proof> {
  const gates = await machine.runGates(live);
  await saveGates(queue, live.session.id, gates);
  if (failedRequired(gates).length > 0) return { ...NOTHING_CLAIMED, gates };
  const review = (await machine.review?.(live)) ?? null;
  if (review?.approved === false) return { ...NOTHING_CLAIMED, gates, review };
  // Asked again: gates take minutes, and a session that lost its task meanwhile must not commit.
  await queue.store.read((db) => requireLive(db, live.session.id));
  return { gates, review, work: await machine.commit(live, done) };
}

function saveGates(queue: Queue, session_id: string, gates: readonly GateResult[]): Promise<void> {
  const at = queue.now();
  return queue.store.write(async (db) => {
    const { session } = await requireLive(db, session_id);
    await insertGateRuns(db, session_id, gates, at);
    await appendEvents(
      db,
      gates.map(({ name, passed, required }) => ({
        at,
        kind: 'gate.finished' as const,
        task_id: session.task_id,
        session_id,
        run_id: session.run_id,
        data: { name, passed, required },
      })),
    );
  });
}
