// A session has ended: gates, commit, settle, in the order that survives a crash at any point.

import { MachineFailed, NeedsPerson } from '../../domain/refusal.ts';
import { allowsNoChange, type NoChange, noChangeOf } from '../../domain/sessions/approval-questions.ts';
import { failedRequired, type GateResult, NO_WORK, type Work } from '../../domain/sessions/gate.ts';
import { addUsage, type SessionEnd, type Usage } from '../../domain/sessions/session.ts';
import {
  type Decision,
  type Hindrance,
  isAcceptable,
  type ReviewResult,
} from '../../domain/sessions/settle.ts';
import { type Closing, lastClosing, type SignalOf } from '../../domain/sessions/signal.ts';
import type { Task } from '../../domain/tasks/task.ts';
import { closeToSignals } from '../../store/sessions/sessions.ts';
import { countedSignals } from '../../store/sessions/signals.ts';
import { answeredHindrances } from '../../store/tasks/questions.ts';
import type { Queue } from '../queue.ts';
import { featureWork } from '../tasks/features.ts';
import { saveGateResults } from './gate-results.ts';
import { type LiveSession, requireHeld } from './live-session.ts';
import { maskSession } from './mask-session.ts';
import { applySettlement } from './settle.ts';

/** What a finish needs of the world outside the database. Each may run again after a crash, so each must be repeatable. */
export type Effects = {
  /** How the session changed what would judge it, in words for a person; null where it did not. */
  findTampering?(live: LiveSession): Promise<string | null>;
  /** Whether the files are as they were when the task began; false where nobody can tell. */
  isUnchanged?(live: LiveSession): Promise<boolean>;
  runGates(live: LiveSession, done: Closing): Promise<GateResult[]>;
  /** Keeps the work of a session that is not done, for the task's next one. */
  saveUnfinished?(live: LiveSession, gates: readonly GateResult[]): Promise<void>;
  commit(live: LiveSession, done: Closing, gates: readonly GateResult[]): Promise<Work>;
  /** The task is settled: what was kept only until then may go. */
  settled?(live: LiveSession, decision: Decision): Promise<void>;
  /** Whether a feature is looked at as a whole before it is done. */
  verifiesFeatures?(): Promise<boolean>;
  /** Whether the work of a feature is committed as one. */
  commitsFeatures?(): Promise<boolean>;
  /** Null where this work needs no review. */
  review?(live: LiveSession): Promise<{ review: ReviewResult; usage: Usage } | null>;
  /** Ends what a session of a dead run left running: it must not go on changing what is judged. */
  reap?(session_id: string): Promise<void>;
  /** What such a session had consumed, as far as anybody can tell. */
  usageOf?(session_id: string): Promise<Usage>;
};

export type FinishInput = {
  session_id: string;
  /** The run that finishes it, which must be the one that holds it. */
  run_id: number;
  end: SessionEnd;
  usage: Usage;
  /** The model that the agent asked for, for the task's next session. */
  next_model?: string | null;
  /** The last thing that its agent said. */
  last_words?: string | null;
  /** What failed before: the session's claim is then neither proven nor refuted. */
  hindrance?: Hindrance | null;
  machine: Effects;
  limits: { max_attempts: number; stuck: number };
};

export async function finish(queue: Queue, input: FinishInput): Promise<Decision> {
  const { live, closing, until } = await close(queue, input);
  const proof = await proveOrKeep(queue, live, closing, input);
  const verify = closing?.verb === 'done' && ((await input.machine.verifiesFeatures?.()) ?? false);
  const decision = await applySettlement(queue, { ...input, ...proof, verify, until });
  // It is settled; what could not be tidied up now is tidied up by the next run.
  await hindranceIn(async () => input.machine.settled?.(live, decision));
  return decision;
}

/**
 * From here on the session takes no more signals: an agent that outlived its supervisor must not change what is being proven.
 */
function close(
  queue: Queue,
  { session_id, run_id }: FinishInput,
): Promise<{ live: LiveSession; closing: Closing | null; until: number | null }> {
  const at = queue.now();
  return queue.store.write(async (db) => {
    const { session, task } = await requireHeld(db, session_id, run_id);
    const live = { task, session: { ...session, closing: session.closing ?? at } };
    await closeToSignals(db, session_id, at);
    await maskSession(queue, db, session_id);
    const until = session.closing;
    const signals = await countedSignals(db, session_id, until);
    return { live, closing: lastClosing(signals), until };
  });
}

async function proveOrKeep(
  queue: Queue,
  live: LiveSession,
  closing: Closing | null,
  input: FinishInput,
): Promise<Proof> {
  const nothing = { ...nothingClaimed(input.usage), hindrance: input.hindrance ?? null };
  if (nothing.hindrance !== null) return nothing;
  let proof = nothing;
  const refused = await hindranceIn(async () => {
    if (closing?.verb === 'done') proof = await prove(queue, live, closing, input);
  });
  if (proof.isProven) return proof;
  // Also where it could not be proven: the work must be there for the task's next session.
  const unkept = await hindranceIn(async () => input.machine.saveUnfinished?.(live, proof.gates));
  return { ...proof, hindrance: refused ?? unkept };
}

/** What kept the work from being done; null where it was done. Anything nobody foresaw is thrown on. */
export async function hindranceIn(work: () => Promise<unknown>): Promise<Hindrance | null> {
  try {
    await work();
    return null;
  } catch (error) {
    const hindrance = hindranceFrom(error);
    if (hindrance === null) throw error;
    return hindrance;
  }
}

function hindranceFrom(error: unknown): Hindrance | null {
  if (error instanceof NeedsPerson) return { kind: 'needs_person', question: error.message };
  if (error instanceof MachineFailed) return { kind: 'machine_failed', reason: error.message };
  return null;
}

type Proof = {
  isProven: boolean;
  gates: readonly GateResult[];
  bent: string | null;
  review: ReviewResult | null;
  hindrance: Hindrance | null;
  no_change: NoChange | null;
  work: Work;
  usage: Usage;
};

async function prove(
  queue: Queue,
  live: LiveSession,
  done: SignalOf<'done'>,
  { machine, usage }: FinishInput,
): Promise<Proof> {
  const nothing = nothingClaimed(usage);
  const bent = (await machine.findTampering?.(live)) ?? null;
  if (bent !== null) return { ...nothing, bent };
  const no_change = (await machine.isUnchanged?.(live)) ? await noChange(queue, live.task, done) : null;
  if (no_change?.kind === 'unexplained') return { ...nothing, no_change };
  const gates = await machine.runGates(live, done);
  await saveGateResults(queue, { session: live.session, results: gates, baseline: false });
  if (failedRequired(gates).length > 0) return { ...nothing, no_change, gates };
  // A person will look at it; there is nothing that a reviewer could read.
  if (no_change?.kind === 'explained') {
    const completes =
      (await machine.commitsFeatures?.()) === true && (await isCommitDue(queue, live, machine));
    return { ...nothing, no_change: { ...no_change, completes }, gates };
  }
  const reviewed = await machine.review?.(live);
  const proof = {
    ...nothing,
    no_change,
    gates,
    review: reviewed?.review ?? null,
    usage: reviewed === undefined || reviewed === null ? usage : addUsage(usage, reviewed.usage),
  };
  if (!isAcceptable(proof.review)) return proof;
  // Asked again: gates take minutes, and a session that lost its task meanwhile must not commit.
  await queue.store.read((db) => requireHeld(db, live.session.id, live.session.run_id));
  return { ...proof, work: await machine.commit(live, done, gates), isProven: true };
}

/** Whether other tasks of the feature wait for this one to be committed. */
async function isCommitDue(queue: Queue, live: LiveSession, machine: Effects): Promise<boolean> {
  const work = await featureWork(queue, live, (await machine.verifiesFeatures?.()) ?? false);
  return work !== null && work.sessions.length > 1;
}

/** Null where no change is needed: the person may have committed the work themselves, as Ralph asked them to. */
export async function noChange(
  queue: Queue,
  task: Pick<Task, 'id' | 'kind'>,
  done: SignalOf<'done'>,
): Promise<NoChange | null> {
  const found = noChangeOf(task, done);
  if (found.kind === 'expected') return found;
  const answered = await queue.store.read((db) => answeredHindrances(db, task.id));
  return answered.some(allowsNoChange) ? null : found;
}

const nothingClaimed = (usage: Usage): Proof => ({
  isProven: false,
  gates: [],
  bent: null,
  review: null,
  hindrance: null,
  no_change: null,
  work: NO_WORK,
  usage,
});
