// Applies the decision of domain/sessions/settle in one transaction, which a session without its task cannot enter.

import { APPROVE, type NoChange } from '../../domain/sessions/approval-questions.ts';
import type { GateResult, Work } from '../../domain/sessions/gate.ts';
import type { LandingProblem } from '../../domain/sessions/landing.ts';
import type { SessionEnd, Usage } from '../../domain/sessions/session.ts';
import {
  type Decision,
  type Hindrance,
  type ReviewResult,
  type SettleInput,
  settle,
} from '../../domain/sessions/settle.ts';
import { doneSummary, lastClosing, type Signal } from '../../domain/sessions/signal.ts';
import { toStorable } from '../../domain/text/text.ts';
import type { Writer } from '../../store/database.ts';
import { appendEvents } from '../../store/events.ts';
import { countGivenLearnings, givenLearningIds } from '../../store/learnings/given-learnings.ts';
import { conflictsInARow } from '../../store/sessions/conflicts.ts';
import { gateRunsOfSession } from '../../store/sessions/gate-runs.ts';
import { coverReceipts, insertReceipt } from '../../store/sessions/receipts.ts';
import { endSession } from '../../store/sessions/sessions.ts';
import { countedSignals } from '../../store/sessions/signals.ts';
import { markRecorded } from '../../store/tasks/features.ts';
import { countOpenFlags } from '../../store/tasks/flags.ts';
import { openPullOfBranch } from '../../store/tasks/pull-requests.ts';
import { countOpenBlocking, insertQuestion, stopBlocking } from '../../store/tasks/questions.ts';
import { insertTaskComments } from '../../store/tasks/task-comments.ts';
import { handOver } from '../pull-requests/closed-pull.ts';
import { proposePart } from '../pull-requests/propose.ts';
import type { Queue } from '../queue.ts';
import { changeStatus } from '../tasks/change-status.ts';
import { completeFeature } from '../tasks/complete-feature.ts';
import { setDependencies } from '../tasks/link.ts';
import { type LiveSession, requireHeld } from './live-session.ts';
import { maskSession } from './record.ts';
import { keepLearnings, keepSuggestions, resolveUpstream } from './signal-effects.ts';

type Settlement = {
  session_id: string;
  run_id: number;
  end: SessionEnd;
  usage: Usage;
  next_model?: string | null;
  last_words?: string | null;
  gates: readonly GateResult[];
  tampering: string | null;
  review: ReviewResult | null;
  hindrance: Hindrance | null;
  no_change: NoChange | null;
  /** Why the work could not land; null if nothing kept it. */
  landing: LandingProblem | null;
  work: Work;
  limits: { max_attempts: number; stuck: number };
  /** Whether a session verifies a feature as a whole before it is done. */
  verify: boolean;
  /** When the supervisor told the agent to end: later signals do not count. */
  until: number | null;
};

export function applySettlement(queue: Queue, settlement: Settlement): Promise<Decision> {
  const at = queue.now();
  const { verify } = settlement;
  return queue.store.write(async (db) => {
    const live = await requireHeld(db, settlement.session_id, settlement.run_id);
    // Masked again: a review may have been added since.
    await maskSession(queue, db, settlement.session_id);
    const signals = await countedSignals(db, settlement.session_id, settlement.until);
    const decision = settle({
      ...settlement,
      task: live.task,
      signals,
      open_questions: await countOpenBlocking(db, live.task.id),
      open_flags: await countOpenFlags(db, live.task.id),
      upstream: await resolveUpstream(db, live.task, signals),
      proposal: await knownProposal(db, settlement.work),
      conflicts: (await conflictsInARow(db, [live.task.id])).get(live.task.id) ?? 0,
    });
    await applyDecision(db, live, decision, at);
    await keepSuggestions(db, live, signals, at);
    await keepLearnings(db, live, signals, { isDone: decision.status === 'done', at });
    if (decision.status === 'done') await writeReceipt(db, live, settlement, signals, at);
    if (decision.outcome === 'proposed') await savePull(db, live, settlement.work, at);
    if (decision.status === 'failed' || decision.status === 'done') await handOver(db, live.task.id, at);
    if (decision.status === 'done') await completeFeature(db, live.task, { verify, at });
    // The agent claimed to be finished, so its earlier questions no longer block the task.
    if (lastClosing(signals)?.verb === 'done') await stopBlocking(db, live.session.id);
    await countHelp(db, live, decision);
    await tellLanding(db, live, settlement, decision, at);
    await closeSession(db, live, settlement, decision, at);
    return decision;
  });
}

/** With the number that GitHub gave to the same branch before. */
async function knownProposal(db: Writer, { proposal }: Work): Promise<SettleInput['proposal']> {
  if (proposal === undefined) return null;
  const { branch } = proposal;
  const { number, url } = (await openPullOfBranch(db, branch)) ?? { number: null, url: null };
  return { number, url, branch };
}

async function savePull(
  db: Writer,
  { task, session }: LiveSession,
  { proposal, tree_hash, diff_stat }: Work,
  at: number,
): Promise<void> {
  if (proposal === undefined) return;
  const part = { ...proposal, tree_hash, diff_stat, task_id: task.id, session_id: session.id };
  await proposePart(db, part, at);
}

/** Given learnings helped if the gates passed at the first attempt. A session that was interrupted or outrun counts for nothing. */
async function countHelp(
  db: Writer,
  { task, session }: LiveSession,
  { outcome, status }: Decision,
): Promise<void> {
  if (outcome === 'interrupted' || outcome === 'conflict') return;
  const isProven = status === 'done' || outcome === 'proposed';
  const isFirst = task.attempts === 0 && task.stuck_count === 0;
  await countGivenLearnings(db, await givenLearningIds(db, session.id), isProven && isFirst);
}

async function applyDecision(
  db: Writer,
  { task, session }: LiveSession,
  decision: Decision,
  at: number,
): Promise<void> {
  const { status, attempts, stuck_count, blocked_by, not_before, comment, add_dependencies } = decision;
  await setDependencies(db, task, [...task.depends_on, ...add_dependencies], at);
  const patch = { attempts, stuck_count, blocked_by, not_before };
  await changeStatus(db, task, { cause: 'settle', to: status, at, session_id: session.id, patch });
  if (decision.hindrance?.kind === 'needs_person')
    await askPerson(db, { task, session }, decision.hindrance, at);
  if (comment === null) return;
  const body = toStorable(comment.body);
  await insertTaskComments(db, [{ task_id: task.id, session_id: session.id, ...comment, body, created: at }]);
  await appendEvents(db, [{ at, kind: 'comment.added', task_id: task.id, session_id: session.id }]);
}

/** Ralph's own question: it belongs to no signal, so no later verb withdraws it. */
async function askPerson(
  db: Writer,
  { task, session }: LiveSession,
  { question, approves }: Extract<Hindrance, { kind: 'needs_person' }>,
  at: number,
): Promise<void> {
  const id = await insertQuestion(db, {
    task_id: task.id,
    signal_id: null,
    question: toStorable(question),
    blocking: true,
    options: approves === true ? [APPROVE] : [],
    preferred: null,
    answer: null,
    asked: at,
    answered: null,
    approves: approves === true ? session.id : null,
  });
  await appendEvents(db, [
    {
      at,
      kind: 'question.asked',
      task_id: task.id,
      session_id: session.id,
      data: { question: id, blocking: true },
    },
  ]);
}

async function writeReceipt(
  db: Writer,
  { task, session }: LiveSession,
  { gates, work, usage, no_change }: Settlement,
  signals: readonly Signal[],
  at: number,
): Promise<void> {
  const { covers, proposal: _, ...proof } = work;
  if (proof.commit !== null) await coverReceipts(db, covers, { commit: proof.commit, at });
  // The commit of a feature holds its entry in the progress file.
  if (covers.length > 0 && task.feature !== null) await markRecorded(db, task.feature, at);
  await insertReceipt(db, {
    task_id: task.id,
    session_id: session.id,
    summary: doneSummary(lastClosing(signals)) ?? '',
    no_change_reason: no_change?.kind === 'expected' ? no_change.reason : null,
    gates: gates.map(({ name, required, passed, exit_code }) => ({ name, required, passed, exit_code })),
    ...proof,
    ...usage,
    learnings: await givenLearningIds(db, session.id),
    created: at,
  });
}

async function tellLanding(
  db: Writer,
  { task, session }: LiveSession,
  { landing, work }: Settlement,
  { status }: Decision,
  at: number,
): Promise<void> {
  const result = landing !== null ? problemData(landing) : landedData(status, work);
  if (result === null) return;
  const gate_runs = (await gateRunsOfSession(db, session.id)).length;
  await appendEvents(db, [
    {
      at,
      kind: 'landing.ended',
      task_id: task.id,
      session_id: session.id,
      run_id: session.run_id,
      data: { ...result, gate_runs },
    },
  ]);
}

const problemData = (problem: LandingProblem): object => ({
  state: problem.kind,
  ...(problem.kind === 'conflict' && { paths: problem.paths }),
});

const landedData = (status: Decision['status'], { commit }: Work): object | null =>
  status === 'done' && commit !== null ? { state: 'landed', commit } : null;

async function closeSession(
  db: Writer,
  { task, session }: LiveSession,
  { end, usage, next_model = null }: Settlement,
  { outcome, inferred, status }: Decision,
  at: number,
): Promise<void> {
  await endSession(db, session.id, { end, outcome, usage, next_model, ended: at });
  await appendEvents(db, [
    {
      at,
      kind: 'session.ended',
      task_id: task.id,
      session_id: session.id,
      run_id: session.run_id,
      data: { outcome, inferred, status, end },
    },
  ]);
}
