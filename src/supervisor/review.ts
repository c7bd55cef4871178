// Somebody else looks at the work: a session of its own, which can read and judge, and change nothing.
import { join } from 'node:path';
import { NO_USAGE } from '../domain/session.ts';
import type { Review, ReviewResult } from '../domain/settle.ts';
import { sessionDir } from '../host/project.ts';
import { takeTree } from '../host/work-tree.ts';
import { reviewsOf } from '../queue/review.ts';
import type { Agent } from './agent.ts';
import { type AgentEnd, NOT_RUN } from './agent-end.ts';
import type { SupervisorInput } from './input.ts';
import { planFor, READING } from './plan.ts';
import { runAgent } from './run-agent.ts';
import { endOfReading, withLostServer } from './session-end.ts';

export type ReviewInput = Pick<
  SupervisorInput,
  'queue' | 'root' | 'stateDir' | 'env' | 'config' | 'ralph' | 'wait' | 'stop' | 'writePrompt' | 'tell'
>;

/** `isUntouched`: whether the tree was the same when it ended. */
export type Reviewed = { review: ReviewResult; end: AgentEnd; isUntouched: boolean };

export type ReviewSubject = { session: { id: string }; task: { id: number } };

/** A verdict that was given before somebody died is not asked for again. */
export async function holdReview(
  input: ReviewInput,
  agent: Agent,
  subject: ReviewSubject,
  /** What is left of the run's budget. */
  budget_usd: number,
): Promise<Reviewed> {
  const given = (await reviewsOf(input.queue, subject.session.id)).at(-1);
  return given === undefined
    ? askReviewer(input, agent, subject, budget_usd)
    : { review: given, end: { ...NOT_RUN, usage: NO_USAGE }, isUntouched: true };
}

export async function askReviewer(
  input: ReviewInput,
  agent: Agent,
  { session, task }: ReviewSubject,
  budget_usd: number,
): Promise<Reviewed> {
  const { queue, root, stateDir, env, config } = input;
  const place = { root, env, stateDir };
  const earlier = (await reviewsOf(queue, session.id)).length;
  const plan = await planFor(input, {
    session_id: session.id,
    client_id: crypto.randomUUID(),
    about: { task_id: task.id },
    recipe: 'opus_review',
    folder: join(sessionDir(stateDir, session.id), 'review'),
    model: config.review.model,
    max_turns: config.limits.max_turns,
    budget_usd: Math.min(config.limits.session_budget_usd, budget_usd),
    tools: READING,
    // The hook that asks for a missing verdict tells by this which ones are older.
    env: { RALPH_RECIPE: 'opus_review', RALPH_REVIEWS_BEFORE: String(earlier) },
    others: [],
  });
  const before = await takeTree(place);
  input.tell({ kind: 'reviewing', task_id: task.id, model: plan.model });
  const ended = await runAgent(agent, plan, {
    env,
    limits: config.limits,
    stop: input.stop.now,
    onObservation: () => {},
  });
  const verdict = (await reviewsOf(queue, session.id)).slice(earlier).at(-1);
  const isUntouched = (await takeTree(place))?.tree === before?.tree;
  const end = verdict === undefined && isUntouched ? withLostServer(ended) : ended;
  return { review: reviewBy(verdict, end, isUntouched, input), end, isUntouched };
}

function reviewBy(
  verdict: Review | undefined,
  end: AgentEnd,
  isUntouched: boolean,
  { queue, wait, stop }: ReviewInput,
): ReviewResult {
  if (!isUntouched)
    return {
      approved: false,
      text: 'The reviewer changed files, so its verdict is of something else. Look at what it changed.',
    };
  if (verdict !== undefined) return verdict;
  const ended = endOfReading(end, { now: queue.now() + wait.pauseMs, isStopped: stop.now.aborted });
  if (ended.kind === 'infrastructure') return { approved: null, unheld: ended };
  return { approved: false, text: 'The reviewer ended without a verdict.' };
}
