// Finishes an ended session: gates, commit, settle, in an order that survives a crash at any point.

import { MachineFailed, NeedsPerson } from '../../domain/refusal.ts';
import { allowsNoChange, classifyNoChange, type NoChange } from '../../domain/sessions/approval-questions.ts';
import {
  failedRequired,
  type GateResult,
  latestResults,
  NO_WORK,
  type Work,
} from '../../domain/sessions/gate.ts';
import {
  type LandingProblem,
  NotLanded,
  redAfterLandingText,
  rejectedAfterLandingText,
} from '../../domain/sessions/landing.ts';
import { addUsage, type SessionEnd, type SessionPhase, type Usage } from '../../domain/sessions/session.ts';
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
import { enterPhase, type LiveSession, requireHeld } from './live-session.ts';
import { maskSession } from './record.ts';
import { applySettlement } from './settle.ts';

/** What a finish needs from outside the database. Each may run again after a crash, so each must be repeatable. */
export type Effects = {
  /** How the session tampered with its gates or rules, in words for a person; null if it did not. */
  findTampering?(live: LiveSession): Promise<string | null>;
  /** Whether the files are the same as when the task began; false if unknown. */
  isUnchanged?(live: LiveSession): Promise<boolean>;
  /** Whether the work is on its branch already: a process that was killed landed it. */
  hasLanded?(live: LiveSession): Promise<boolean>;
  /** Throws NotLanded if the work does not fit what landed meanwhile; so does `commit`. */
  runGates(live: LiveSession, done: Closing): Promise<GateResult[]>;
  /** Saves the work of an unfinished session for the task's next one. */
  saveUnfinished?(live: LiveSession, gates: readonly GateResult[]): Promise<void>;
  /** The same for a session whose work tree is gone. */
  saveLost?(live: LiveSession): Promise<void>;
  commit(live: LiveSession, done: Closing, gates: readonly GateResult[]): Promise<Work>;
  /** The task is settled: deletes what was needed only until then. */
  settled?(live: LiveSession, decision: Decision): Promise<void>;
  /** Whether a session verifies a feature as a whole before it is done. */
  verifiesFeatures?(): Promise<boolean>;
  /** Whether Ralph commits the work of a feature as one. */
  commitsFeatures?(): Promise<boolean>;
  /** Null if this work needs no review. */
  review?(live: LiveSession): Promise<{ review: ReviewResult; usage: Usage } | null>;
  /** Ends the processes that a session of a dead run left: they must not change what is judged. */
  reap?(session_id: string): Promise<void>;
  /** What a session of a dead run consumed, as far as its files tell. */
  readUsage?(session_id: string): Promise<Usage>;
};

export type FinishInput = {
  session_id: string;
  /** The run that finishes the session; it must hold the session. */
  run_id: number;
  /** What people who watch the session see from here on. */
  phase?: SessionPhase | null;
  end: SessionEnd;
  usage: Usage;
  /** The model that the agent requested for the task's next session. */
  next_model?: string | null;
  /** The agent's last message. */
  last_words?: string | null;
  /** What failed before the finish: the session's claim is then neither proven nor refuted. */
  hindrance?: Hindrance | null;
  effects: Effects;
  limits: { max_attempts: number; stuck: number };
};

export async function finish(queue: Queue, input: FinishInput): Promise<Decision> {
  const { live, closing, until } = await close(queue, input);
  const proof = await proveOrKeep(queue, live, closing, input);
  const verify = closing?.verb === 'done' && ((await input.effects.verifiesFeatures?.()) ?? false);
  const decision = await applySettlement(queue, { ...input, ...proof, verify, until });
  // The task is settled. What cannot be cleaned up now, the next run cleans up.
  await catchHindrance(async () => input.effects.settled?.(live, decision));
  return decision;
}

/**
 * From here on the session accepts no more signals: an agent that outlives its supervisor must not change what is being proven.
 */
function close(
  queue: Queue,
  { session_id, run_id, phase = null }: FinishInput,
): Promise<{ live: LiveSession; closing: Closing | null; until: number | null }> {
  const at = queue.now();
  return queue.store.write(async (db) => {
    const { session, task } = await requireHeld(db, session_id, run_id);
    const live = { task, session: { ...session, closing: session.closing ?? at } };
    await closeToSignals(db, session_id, at);
    if (phase !== null) await enterPhase(db, session_id, phase, at);
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
  const refused = await catchHindrance(async () => {
    if (closing?.verb === 'done') proof = await prove(queue, live, closing, input);
  });
  if (proof.isProven) return proof;
  // Also if the proof failed: the task's next session needs the work.
  const unsaved = await catchHindrance(async () => input.effects.saveUnfinished?.(live, proof.gates));
  return { ...proof, hindrance: refused ?? proof.hindrance ?? unsaved };
}

/** Runs `work`; returns the expected failure that stopped it, or null. Rethrows any other error. */
export async function catchHindrance(work: () => Promise<unknown>): Promise<Hindrance | null> {
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
  tampering: string | null;
  review: ReviewResult | null;
  hindrance: Hindrance | null;
  no_change: NoChange | null;
  landing: LandingProblem | null;
  work: Work;
  usage: Usage;
};

async function prove(
  queue: Queue,
  live: LiveSession,
  done: SignalOf<'done'>,
  { effects, usage }: FinishInput,
): Promise<Proof> {
  const nothing = nothingClaimed(usage);
  const tampering = (await effects.findTampering?.(live)) ?? null;
  if (tampering !== null) return { ...nothing, tampering };
  const no_change = (await effects.isUnchanged?.(live)) ? await noChange(queue, live.task, done) : null;
  if (no_change?.kind === 'unexplained') return { ...nothing, no_change };
  const ran = await catchNotLanded(() => effects.runGates(live, done));
  const gates = ran instanceof NotLanded ? ran.gates : ran;
  await saveGateResults(queue, { session: live.session, results: gates, baseline: false });
  if (ran instanceof NotLanded) return { ...nothing, no_change, gates, landing: ran.problem };
  if (failedRequired(gates).length > 0) {
    const isOnBranch = (await effects.hasLanded?.(live)) === true;
    const hindrance = isOnBranch ? askAfterLanding(redAfterLandingText(live.task.id, gates)) : null;
    return { ...nothing, no_change, gates, hindrance };
  }
  // A person decides about it: without a change a reviewer has nothing to read.
  if (no_change?.kind === 'explained') {
    const completes =
      (await effects.commitsFeatures?.()) === true && (await isCommitDue(queue, live, effects));
    return { ...nothing, no_change: { ...no_change, completes }, gates };
  }
  const reviewed = await effects.review?.(live);
  const proof = {
    ...nothing,
    no_change,
    gates,
    review: reviewed?.review ?? null,
    usage: reviewed === undefined || reviewed === null ? usage : addUsage(usage, reviewed.usage),
  };
  if (!isAcceptable(proof.review)) {
    if (proof.review?.approved !== false || (await effects.hasLanded?.(live)) !== true) return proof;
    return {
      ...proof,
      hindrance: askAfterLanding(rejectedAfterLandingText(live.task.id, proof.review.text)),
    };
  }
  // Checked again: gates take minutes, and a session that lost its task meanwhile must not commit.
  await queue.store.read((db) => requireHeld(db, live.session.id, live.session.run_id));
  const work = await catchNotLanded(() => effects.commit(live, done, gates));
  if (!(work instanceof NotLanded)) return { ...proof, work, isProven: true };
  await saveGateResults(queue, { session: live.session, results: work.gates, baseline: false });
  return { ...proof, gates: latestResults([...gates, ...work.gates]), landing: work.problem };
}

/** Another session could not undo what others build on by now, and an attempt that counts would be unfair. */
const askAfterLanding = (question: string): Hindrance => ({ kind: 'needs_person', question });

async function catchNotLanded<T>(work: () => Promise<T>): Promise<T | NotLanded> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof NotLanded) return error;
    throw error;
  }
}

/** Whether done tasks of the feature wait for this one to be committed with it. */
async function isCommitDue(queue: Queue, live: LiveSession, effects: Effects): Promise<boolean> {
  const work = await featureWork(queue, live, (await effects.verifiesFeatures?.()) ?? false);
  return work !== null && work.sessions.length > 1;
}

/** Null if a person's answer allows it: they may have committed the work themselves, as Ralph asked. */
export async function noChange(
  queue: Queue,
  task: Pick<Task, 'id' | 'kind'>,
  done: SignalOf<'done'>,
): Promise<NoChange | null> {
  const found = classifyNoChange(task, done);
  if (found.kind === 'expected') return found;
  const answered = await queue.store.read((db) => answeredHindrances(db, task.id));
  return answered.some(allowsNoChange) ? null : found;
}

const nothingClaimed = (usage: Usage): Proof => ({
  isProven: false,
  gates: [],
  tampering: null,
  review: null,
  hindrance: null,
  no_change: null,
  landing: null,
  work: NO_WORK,
  usage,
});
