import { Option } from 'commander';
import {
  type AgentOptions,
  type AgentSession,
  strongestModel,
  withAgent,
} from '../../../app/sessions/agent-session.ts';
import type { CommandContext, Output } from '../../../app/world.ts';
import { Refusal } from '../../../domain/refusal.ts';
import { stateName } from '../../../domain/tasks/status.ts';
import type { Task } from '../../../domain/tasks/task.ts';
import { costText, money } from '../../../domain/text/amounts.ts';
import { plural } from '../../../domain/text/text.ts';
import { applyProposal } from '../../../queue/planning/apply-proposal.ts';
import type { Queue } from '../../../queue/queue.ts';
import { list } from '../../../queue/tasks/list.ts';
import { show } from '../../../queue/tasks/show.ts';
import { leftOutLine, twinLine } from '../../../text/proposal-text.ts';
import { oneLine } from '../../../text/terminal/style.ts';
import { defineCommand } from '../../command.ts';
import { agentOptions, optionalTaskIds } from '../../parse.ts';
import { logCommand, planningFailure, planningRemarks, planSession } from '../../terminal/plan-session.ts';

type EnrichOptions = AgentOptions & { draft?: boolean };

export const enrich = defineCommand<[ids: number[] | undefined], EnrichOptions>({
  name: 'enrich',
  summary: 'complete drafts with steps, criteria and files, and put them into the queue',
  group: 'Plan',
  args: [optionalTaskIds('numbers of drafts; by default all that are not enriched yet')],
  options: [new Option('--draft', 'leave them as drafts, for ralph approve'), ...agentOptions()],
  examples: ['ralph enrich', 'ralph enrich 8 9 --draft', 'ralph enrich --budget 5'],
  run: (context, [ids = []], options) =>
    withAgent(context, options, async (session) => {
      const drafts = await readDrafts(session.queue, ids);
      if (drafts.length === 0)
        return { json: { enriched: [], drafts: [], cost_usd: 0 }, text: 'There is no draft to enrich.' };
      return enrichAll(context, session, groupDrafts(drafts), options);
    }),
});

async function readDrafts(queue: Queue, ids: readonly number[]): Promise<Task[]> {
  if (ids.length === 0)
    return (await list(queue, { status: 'draft' })).filter(({ enriched_at }) => enriched_at === null);
  const tasks: Task[] = [];
  for (const id of new Set(ids)) {
    const task = await show(queue, id);
    if (task.status !== 'draft')
      throw new Refusal(`Task ${id} is ${stateName(task.status)}; only drafts are enriched.`);
    tasks.push(task);
  }
  return tasks;
}

/** With more drafts a session becomes superficial. */
const DRAFTS_PER_SESSION = 5;

/** Drafts of one feature need the same files, so they share a session. */
function groupDrafts(drafts: readonly Task[]): Task[][] {
  const groups = new Map<string | null, Task[]>();
  for (const draft of drafts) groups.set(draft.feature, [...(groups.get(draft.feature) ?? []), draft]);
  return [...groups.values()].flatMap((group) =>
    Array.from({ length: Math.ceil(group.length / DRAFTS_PER_SESSION) }, (_, index) =>
      group.slice(index * DRAFTS_PER_SESSION, (index + 1) * DRAFTS_PER_SESSION),
    ),
  );
}

type Enriched = {
  enriched: Task[];
  cost_usd: number;
  lines: string[];
  /** Not null: no further session is started. */
  exitCode: number | null;
};

async function enrichAll(
  context: CommandContext,
  session: AgentSession,
  batches: readonly (readonly Task[])[],
  options: EnrichOptions,
): Promise<Output> {
  const budget = options.budget ?? session.config.limits.run_budget_usd;
  const all: Enriched = { enriched: [], cost_usd: 0, lines: [], exitCode: null };
  for (const batch of batches) {
    const left = budget - all.cost_usd;
    const next =
      left > 0
        ? await enrichBatch(context, session, batch, { ...options, budget: left })
        : budgetSpent(budget);
    all.enriched.push(...next.enriched);
    all.lines.push(...next.lines);
    all.cost_usd += next.cost_usd;
    all.exitCode = next.exitCode;
    if (all.exitCode !== null) break;
  }
  const { enriched, cost_usd, lines, exitCode } = all;
  const drafts = batches
    .flat()
    .filter(({ id }) => !enriched.some((task) => task.id === id && task.status !== 'draft'));
  const still = drafts.length === 0 ? '' : ` Still drafts: ${drafts.map(({ id }) => `#${id}`).join(' ')}.`;
  return {
    json: { enriched, drafts: drafts.map(({ id }) => id), cost_usd },
    text: [...lines, `${plural(enriched.length, 'draft')} enriched, ${costText(cost_usd)}.${still}`].join(
      '\n',
    ),
    exitCode: exitCode ?? (enriched.length === 0 ? 1 : 0),
  };
}

const budgetSpent = (budget: number): Enriched => ({
  enriched: [],
  cost_usd: 0,
  lines: [`! The budget of ${money(budget)} is spent; go on with: ralph enrich`],
  exitCode: 12,
});

async function enrichBatch(
  context: CommandContext,
  session: AgentSession,
  drafts: readonly Task[],
  { model, budget = Number.POSITIVE_INFINITY, draft = false }: EnrichOptions,
): Promise<Enriched> {
  const { config, queue } = session;
  const ids = drafts.map(({ id }) => id);
  const planned = await planSession(context, session, {
    what: `enriching ${ids.map((id) => `#${id}`).join(' ')}`,
    recipe: 'enrichment',
    about: { drafts: ids },
    model: model ?? strongestModel(config),
    budget_usd: Math.min(config.limits.session_budget_usd, budget),
  });
  const { proposal, end } = planned;
  const { cost_usd } = end.usage;
  const unheld = planningFailure(planned, config.agent, 'ralph enrich');
  if (unheld !== null)
    return { enriched: [], cost_usd, lines: [unheld.text], exitCode: unheld.exitCode ?? 1 };
  // The session was asked for these drafts only; its changes to other tasks are dropped.
  const changed = proposal.changed
    .filter(({ id, is_enriched }) => ids.includes(id) && is_enriched)
    .map((one) => ({ ...one, is_queued: one.is_queued && !draft }));
  const { changed: enriched, twins } = await applyProposal(queue, { ...proposal, changed }, 'draft');
  const reported = [...enriched, ...proposal.left_out];
  const missing = drafts.filter(({ id }) => !reported.some((task) => task.id === id));
  const remarks = planningRemarks(planned);
  return {
    enriched,
    cost_usd,
    lines: [
      ...enriched.map(enrichedLine),
      ...missing.map(
        ({ id, title }) => `~ #${id} ${oneLine(title)}: not enriched; ${logCommand(planned)} says why`,
      ),
      ...proposal.left_out.map(leftOutLine),
      ...twins.map(twinLine),
      ...remarks.lines,
    ],
    exitCode: remarks.exitCode === 0 ? null : remarks.exitCode,
  };
}

const enrichedLine = ({ id, title, status }: Task): string =>
  status === 'draft'
    ? `~ #${id} ${oneLine(title)}: enriched, stays a draft; look at it with ralph approve`
    : `✓ #${id} ${oneLine(title)}: in the queue`;
