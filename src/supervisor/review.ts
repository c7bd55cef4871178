// Somebody else looks at the work: a session of its own, which can read and judge, and change nothing.
import { join } from 'node:path';
import { addUsage, faultWords, NO_USAGE, type Usage } from '../domain/sessions/session.ts';
import type { Review } from '../domain/sessions/settle.ts';
import { takeTree } from '../host/git/work-tree.ts';
import { sessionDir } from '../host/project.ts';
import { sessionReviews } from '../queue/sessions/review.ts';
import type { Agent } from './agent.ts';
import type { SupervisorInput } from './input.ts';
import { buildLaunchSpec, READING } from './launch-spec.ts';
import { runAgent } from './run-agent.ts';
import { type AgentEnd, judgeFailure, NOT_RUN } from './session-end.ts';

export type ReviewInput = Pick<
  SupervisorInput,
  'queue' | 'root' | 'stateDir' | 'env' | 'config' | 'ralph' | 'wait' | 'stop' | 'writePrompt' | 'tell'
>;

/** `verdict`: null where there is none that counts, with the reason in words. */
export type Reviewed =
  | { verdict: Review; usage: Usage; end: AgentEnd }
  | { verdict: null; reason: string; usage: Usage; end: AgentEnd; isStopped: boolean };

export type ReviewSubject = { session: { id: string }; task: { id: number } };

/** A review that ends without a verdict says nothing of the work, so it is held once more. */
const MOST_TRIES = 2;

/** A verdict that was given before somebody died is not asked for again. */
export async function holdReview(
  input: ReviewInput,
  agent: Agent,
  subject: ReviewSubject,
  options: ReviewOptions,
): Promise<Reviewed> {
  const given = (await sessionReviews(input.queue, subject.session.id)).at(-1);
  return given === undefined
    ? askReviewers(input, agent, subject, options)
    : { verdict: given, usage: NO_USAGE, end: NOT_RUN };
}

export type ReviewOptions = {
  /** What is left of the run's budget. */
  budget_usd: number;
  /** True when what kept the reviewer from working has passed. */
  waitedFor(end: AgentEnd): Promise<boolean>;
};

export async function askReviewers(
  input: ReviewInput,
  agent: Agent,
  subject: ReviewSubject,
  { budget_usd, waitedFor }: ReviewOptions,
): Promise<Reviewed> {
  let usage = NO_USAGE;
  for (let tries = 1; ; ) {
    const held = await askReviewer(input, agent, subject, Math.max(0, budget_usd - usage.cost_usd));
    usage = addUsage({ ...usage, model: held.end.usage.model }, held.end.usage);
    const answer = { ...held, usage };
    if (held.verdict !== null || held.isStopped) return answer;
    if (held.end.fault === null) tries += 1;
    else if (!(await waitedFor(held.end))) return answer;
    if (tries > MOST_TRIES || usage.cost_usd >= budget_usd) return answer;
  }
}

async function askReviewer(
  input: ReviewInput,
  agent: Agent,
  { session, task }: ReviewSubject,
  budget_usd: number,
): Promise<Reviewed> {
  const { queue, root, stateDir, env, config } = input;
  const place = { root, env, stateDir };
  const earlier = (await sessionReviews(queue, session.id)).length;
  const plan = await buildLaunchSpec(input, {
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
  const verdict = (await sessionReviews(queue, session.id)).slice(earlier).at(-1) ?? null;
  const isUntouched = (await takeTree(place))?.tree === before?.tree;
  const end = await judgeFailure(ended, async () => verdict !== null);
  const { usage } = end;
  if (verdict !== null && isUntouched) return { verdict, usage, end };
  const isStopped = input.stop.now.aborted;
  return { verdict: null, reason: isUntouched ? silence(end) : CHANGED, usage, end, isStopped };
}

const CHANGED = 'files changed during the review, so its verdict was of something else';

function silence({ fault, detail, limit }: AgentEnd): string {
  if (fault !== null) return `${faultWords(fault)}${detail === null ? '' : ` (${detail})`}`;
  return limit === null ? 'the reviewer gave no verdict' : `the reviewer reached its limit: ${limit}`;
}
