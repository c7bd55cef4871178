// Decides what a finished session means for its task. Pure: the queue gathers the input and applies the decision.

import { type PullSummary, waitsForPull } from '../pull-requests/pull-request.ts';
import type { Status, Task } from '../tasks/task.ts';
import { approvalQuestion, NO_CHANGE_REFUSED, type NoChange, reviewQuestion } from './approval-questions.ts';
import { failedRequired, type GateResult, gateComment } from './gate.ts';
import { isConflictCharged, type LandingProblem, landingComment } from './landing.ts';
import type { SessionEnd } from './session.ts';
import { inferClosing, isVerb, lastClosing, type Signal, type SignalOf } from './signal.ts';

/** A `blocked(upstream_task)` after the queue looked for the task it names. */
export type Upstream =
  | { on: string; found: 'open'; task_id: number }
  | { on: string; found: 'satisfied'; task_id: number }
  | { on: string; found: 'cycle'; path: readonly number[] }
  | { on: string; found: 'nothing' };

export type Review = { approved: true } | { approved: false; text: string };

/** `approved: null`: there is no verdict. `isRequired`: only a person may replace it. */
export type ReviewResult = Review | { approved: null; reason: string; isRequired: boolean };

/** True if no review keeps the work from being committed. */
export const isAcceptable = (review: ReviewResult | null): boolean =>
  review === null || review.approved === true || (review.approved === null && !review.isRequired);

/** Why Ralph could neither prove nor refute what a session claims. The task is charged nothing for it. */
export type Hindrance =
  | { kind: 'needs_person'; question: string /** Whether it asks to accept a done. */; approves?: true }
  | { kind: 'machine_failed'; reason: string };

export type SettleInput = {
  task: Pick<Task, 'attempts' | 'stuck_count' | 'blocked_by'>;
  /** In the order they were recorded. */
  signals: readonly Signal[];
  /** Unanswered blocking questions of the task. */
  open_questions: number;
  /** Blocking flags of the task that no person closed. */
  open_flags: number;
  upstream: readonly Upstream[];
  end: SessionEnd;
  /** The agent's last words; null if unknown. */
  last_words?: string | null;
  gates: readonly GateResult[];
  /** How the session changed the rules that judge it; null if it did not. */
  tampering: string | null;
  review: ReviewResult | null;
  hindrance: Hindrance | null;
  /** Null if files changed, or if it is unknown. */
  no_change: NoChange | null;
  /** Why the work could not land; null if nothing kept it. */
  landing: LandingProblem | null;
  /** The branch of a pull request, if the work waits there for a merge. */
  proposal: Pick<PullSummary, 'number' | 'url' | 'branch'> | null;
  /** How many of the task's last sessions in a row ended with a conflict. */
  conflicts: number;
  limits: { max_attempts: number; stuck: number };
};

export const OUTCOMES = [
  'done',
  'gate_failed',
  'rules_bent',
  'no_change',
  'needs_approval',
  'changes_requested',
  'conflict',
  'proposed',
  'partial',
  'stuck',
  'interrupted',
] as const;
export type Outcome = (typeof OUTCOMES)[number];

export type Decision = {
  status: Extract<Status, 'done' | 'pending' | 'needs_input' | 'blocked' | 'failed'>;
  outcome: Outcome;
  /** True if Ralph inferred the closing verb because the agent called none. */
  inferred: boolean;
  attempts: number;
  stuck_count: number;
  blocked_by: string | null;
  add_dependencies: readonly number[];
  not_before: number | null;
  /** For the next attempt; null if there is nothing to tell it. */
  comment: { author: 'agent' | 'system'; body: string } | null;
  hindrance: Hindrance | null;
};

export function settle(input: SettleInput): Decision {
  const decision = settleClosing(input);
  const { hindrance, task, tampering } = input;
  if (hindrance?.kind !== 'needs_person' || tampering !== null) return decision;
  // With work that Ralph cannot keep, the task waits for a person, whatever the agent's verb was, and pays nothing.
  const { attempts, stuck_count } = task;
  return { ...decision, status: 'needs_input', attempts, stuck_count, hindrance };
}

function settleClosing(input: SettleInput): Decision {
  const closing = lastClosing(input.signals) ?? inferClosing(input);
  if (closing === null) return interrupt(input);
  switch (closing.verb) {
    case 'done':
      return settleDone(input);
    case 'partial':
      return settleUnfinished(input, 'partial', partialComment(closing));
    case 'stuck':
      return settleStuck(input, closing);
  }
}

function keepTask({ task }: SettleInput) {
  const { attempts, stuck_count, blocked_by } = task;
  return {
    attempts,
    stuck_count,
    blocked_by,
    add_dependencies: [],
    not_before: null,
    comment: null,
    hindrance: null,
    inferred: false,
  };
}

function interrupt(input: SettleInput): Decision {
  const not_before = input.end.kind === 'infrastructure' ? input.end.resume_at : null;
  return {
    ...keepTask(input),
    status: 'pending',
    outcome: 'interrupted',
    not_before,
    hindrance: input.hindrance,
  };
}

// Earlier `blocked`, blocking `ask` and blocking `flag` signals change nothing here: the agent found a way without them.
function settleDone(input: SettleInput): Decision {
  if (input.tampering !== null) return settleTampered(input, input.tampering);
  if (input.hindrance !== null) return settleUnproven(input, input.hindrance);
  if (input.no_change?.kind === 'unexplained') return refute(input, 'no_change', NO_CHANGE_REFUSED);
  if (input.landing !== null) return settleNotLanded(input, input.landing);
  const failed = failedRequired(input.gates);
  if (failed.length > 0) return refute(input, 'gate_failed', failed.map(gateComment).join('\n\n'));
  if (input.no_change?.kind === 'explained') return askForApproval(input, input.no_change);
  if (input.review?.approved === null) return settleUnreviewed(input, input.review);
  if (input.review?.approved === false) return refute(input, 'changes_requested', input.review.text);
  if (input.proposal !== null) return propose(input, input.proposal);
  return { ...keepTask(input), status: 'done', outcome: 'done', blocked_by: null };
}

/** Only a person can say whether the changed rules are right. Until then the task waits, and gates prove nothing. */
function settleTampered(input: SettleInput, body: string): Decision {
  const attempts = input.task.attempts + 1;
  const comment = { author: 'system', body } as const;
  return {
    ...keepTask(input),
    status: 'blocked',
    outcome: 'rules_bent',
    attempts,
    blocked_by: body,
    comment,
  };
}

function settleUnproven(input: SettleInput, hindrance: Hindrance): Decision {
  const decision = interrupt({ ...input, hindrance });
  if (hindrance.kind === 'needs_person') return decision;
  const body = `Ralph could not check the work: ${hindrance.reason} If nothing is left to do, say done again.`;
  return { ...decision, comment: { author: 'system', body } };
}

/** Without a required review the result of the gates stands. */
function settleUnreviewed(
  input: SettleInput,
  { reason, isRequired }: Extract<ReviewResult, { approved: null }>,
): Decision {
  if (isRequired) {
    const hindrance: Hindrance = { kind: 'needs_person', question: reviewQuestion(reason) };
    return { ...interrupt(input), status: 'needs_input', hindrance };
  }
  const comment = { author: 'system', body: `Not reviewed: ${reason}.` } as const;
  if (input.proposal !== null) return { ...propose(input, input.proposal), comment };
  return { ...keepTask(input), status: 'done', outcome: 'done', blocked_by: null, comment };
}

/** Proven, and not landed: the task is done once its pull request is merged. */
const propose = (input: SettleInput, proposal: NonNullable<SettleInput['proposal']>): Decision => ({
  ...keepTask(input),
  status: 'blocked',
  outcome: 'proposed',
  blocked_by: waitsForPull(proposal),
});

/** No gate can tell whether nothing had to be done. A person accepts it or says what the next session should do. */
function askForApproval(
  input: SettleInput,
  { reason, completes = false }: Extract<NoChange, { kind: 'explained' }>,
): Decision {
  const question = approvalQuestion(reason, completes);
  return {
    ...keepTask(input),
    status: 'needs_input',
    outcome: 'needs_approval',
    hindrance: { kind: 'needs_person', question, ...(!completes && { approves: true }) },
  };
}

type Refutation = Extract<Outcome, 'gate_failed' | 'changes_requested' | 'no_change' | 'conflict'>;

function refute(input: SettleInput, outcome: Refutation, body: string): Decision {
  const attempts = input.task.attempts + 1;
  const status = attempts >= input.limits.max_attempts ? 'failed' : 'pending';
  return { ...keepTask(input), status, outcome, attempts, comment: { author: 'system', body } };
}

/** Others landed first. Only a task that meets this again and again pays for it, so that it cannot go on for ever. */
function settleNotLanded(input: SettleInput, problem: LandingProblem): Decision {
  const body = landingComment(problem, input.gates);
  const decision = refute(input, 'conflict', body);
  if (isConflictCharged(input.conflicts)) return decision;
  return { ...decision, status: 'pending', attempts: input.task.attempts };
}

function settleStuck(input: SettleInput, closing: SignalOf<'stuck'>): Decision {
  const stuck_count = input.task.stuck_count + 1;
  const decision = settleUnfinished(input, 'stuck', `Stuck: ${closing.reason}`);
  return { ...decision, stuck_count, status: stuck_count >= input.limits.stuck ? 'failed' : decision.status };
}

function settleUnfinished(input: SettleInput, outcome: 'partial' | 'stuck', body: string): Decision {
  const inferred = lastClosing(input.signals) === null;
  const add_dependencies = input.upstream.flatMap((found) => (found.found === 'open' ? [found.task_id] : []));
  const external = [
    ...input.signals
      .filter(isVerb('blocked'))
      .filter(({ kind }) => kind === 'external')
      .map(blockText),
    ...input.upstream.flatMap(missingUpstream),
  ];
  const blocked_by = external.length > 0 ? external.join('; ') : input.task.blocked_by;
  const isBlocked = blocked_by !== null || add_dependencies.length > 0;
  return {
    ...keepTask(input),
    status: needsPerson(input) ? 'needs_input' : isBlocked ? 'blocked' : 'pending',
    outcome,
    inferred,
    blocked_by,
    add_dependencies,
    comment: { author: inferred ? 'system' : 'agent', body },
  };
}

const needsPerson = ({ open_questions, open_flags }: SettleInput): boolean => open_questions + open_flags > 0;

// If the task does not exist or closes a cycle, a person must resolve it, like anything external.
function missingUpstream(upstream: Upstream): string[] {
  switch (upstream.found) {
    case 'open':
    case 'satisfied':
      return [];
    case 'cycle':
      return [`${upstream.on}, which itself waits for this task (${upstream.path.join(' → ')})`];
    case 'nothing':
      return [`${upstream.on} (no such task)`];
  }
}

const blockText = ({ on, detail }: SignalOf<'blocked'>): string =>
  detail === undefined ? on : `${on}: ${detail}`;

const partialComment = ({ summary, remaining }: SignalOf<'partial'>): string =>
  `${summary}\n\nRemaining: ${remaining}`;
