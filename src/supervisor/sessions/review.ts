// The review of a session's work: a second agent process, which can read and judge but change nothing.
import { join } from 'node:path';
import { chosenText } from '../../domain/sessions/choose-agent.ts';
import { addUsage, faultWords, NO_USAGE, type Usage } from '../../domain/sessions/session.ts';
import type { Review } from '../../domain/sessions/settle.ts';
import { takeTree } from '../../host/git/work-tree.ts';
import { type Inside, insideCheckout, sessionHome } from '../../host/sandbox/inside.ts';
import { sessionDir } from '../../host/session-folder.ts';
import { sessionReviews } from '../../queue/sessions/review.ts';
import type { Agent } from '../agents/agent.ts';
import { chooseReviewer } from '../agents/index.ts';
import { buildLaunchSpec, READING_TOOLS } from '../agents/launch-spec.ts';
import { runAgent } from '../agents/run-agent.ts';
import { type AgentEnd, judgeFailure, NOT_RUN } from '../agents/session-end.ts';
import { VERDICT_REMINDER } from '../hooks.ts';
import type { SupervisorInput } from '../input.ts';

type ReviewInput = Pick<
  SupervisorInput,
  | 'queue'
  | 'root'
  | 'stateDir'
  | 'slotsFolder'
  | 'env'
  | 'config'
  | 'sandbox'
  | 'sessions'
  | 'stop'
  | 'writePrompt'
>;

/** `verdict`: null if there is no valid one; `reason` then tells why. */
export type ReviewResult =
  | { verdict: Review; usage: Usage; end: AgentEnd }
  | { verdict: null; reason: string; usage: Usage; end: AgentEnd; isStopped: boolean };

type ReviewSubject = { session: { id: string }; task: { id: number } };

/** A review without a verdict tells nothing about the work, so Ralph tries once more. */
const MAX_TRIES = 2;

/** Uses a verdict that was stored before Ralph was killed, and asks for none again. */
export async function holdReview(
  input: ReviewInput,
  agent: Agent,
  subject: ReviewSubject,
  options: ReviewOptions,
): Promise<ReviewResult> {
  const stored = (await sessionReviews(input.queue, subject.session.id)).at(-1);
  return stored === undefined
    ? askReviewers(input, agent, subject, options)
    : { verdict: stored, usage: NO_USAGE, end: NOT_RUN };
}

type ReviewOptions = {
  /** What is left of what the session and its review may spend. */
  budget_usd: number;
  /** Waits for the fault that kept the reviewer from working. True if it has passed. */
  waitForReviewer(end: AgentEnd): Promise<boolean>;
  /** A reviewer begins. */
  onReview(model: string): void;
  /** Where the work is, if not in the checkout. */
  ground?: { root: string; inside: Inside; takeTree(): Promise<string | null> } | undefined;
};

export async function askReviewers(
  input: ReviewInput,
  agent: Agent,
  subject: ReviewSubject,
  { budget_usd, waitForReviewer, ...options }: ReviewOptions,
): Promise<ReviewResult> {
  if (budget_usd < LEAST_USD)
    return { verdict: null, reason: NO_BUDGET, usage: NO_USAGE, end: NOT_RUN, isStopped: false };
  let usage = NO_USAGE;
  for (let tries = 1; ; ) {
    const left_usd = Math.max(0, budget_usd - usage.cost_usd);
    const result = await askReviewer(input, agent, subject, { ...options, budget_usd: left_usd });
    usage = addUsage({ ...usage, model: result.end.usage.model }, result.end.usage);
    const answer = { ...result, usage };
    if (result.verdict !== null || result.isStopped) return answer;
    if (result.end.fault === null) tries += 1;
    else if (!(await waitForReviewer(result.end))) return answer;
    if (tries > MAX_TRIES || usage.cost_usd >= budget_usd) return answer;
  }
}

async function askReviewer(
  input: ReviewInput,
  agent: Agent,
  { session, task }: ReviewSubject,
  { budget_usd, onReview, ground }: Omit<ReviewOptions, 'waitForReviewer'>,
): Promise<ReviewResult> {
  const { queue, root, stateDir, env, config } = input;
  const place = { root, env, stateDir };
  const reviewer = chooseReviewer(config);
  const earlier = (await sessionReviews(queue, session.id)).length;
  const spec = await buildLaunchSpec(input, {
    session_id: session.id,
    client_id: crypto.randomUUID(),
    about: { task_id: task.id },
    recipe: 'opus_review',
    folder: join(sessionDir(stateDir, session.id), 'review'),
    model: reviewer.model,
    effort: config.effort,
    max_turns: config.limits.max_turns,
    budget_usd: Math.min(config.limits.session_budget_usd, budget_usd),
    tools: READING_TOOLS,
    env: {},
    others: [],
    ...(ground !== undefined && { root: ground.root }),
  });
  const tree = ground?.takeTree ?? (async () => (await takeTree(place))?.tree ?? null);
  const before = await tree();
  onReview(chosenText(reviewer));
  const home = sessionHome(input.slotsFolder, spec.client_id);
  const ended = await runAgent(agent, spec, {
    env,
    limits: config.limits,
    stop: input.stop.now,
    enclosure: input.sandbox.enclose(
      ground?.inside ?? insideCheckout(place, 'agent', { home, access: 'read' }),
    ),
    sessions: input.sessions,
    queue,
    stateDir,
    reminder: {
      isReported: async () => (await sessionReviews(queue, session.id)).length > earlier,
      text: VERDICT_REMINDER,
    },
    onObservation: () => {},
  });
  const verdict = (await sessionReviews(queue, session.id)).slice(earlier).at(-1) ?? null;
  const isUntouched = (await tree()) === before;
  const end = await judgeFailure({ ...ended, agent: reviewer.agent }, async () => verdict !== null);
  const { usage } = end;
  if (verdict !== null && isUntouched) return { verdict, usage, end };
  const isStopped = input.stop.now.aborted;
  return { verdict: null, reason: isUntouched ? silence(end) : CHANGED, usage, end, isStopped };
}

/** Less than a cent pays for no answer. */
const LEAST_USD = 0.01;
const NO_BUDGET = 'nothing of the budget was left for a review';
const CHANGED = 'files changed during the review, so its verdict does not fit the work';

function silence({ fault, detail, limit }: AgentEnd): string {
  if (fault !== null) return `${faultWords(fault)}${detail === null ? '' : ` (${detail})`}`;
  return limit === null ? 'the reviewer gave no verdict' : `the reviewer reached its limit: ${limit}`;
}
