import { posix, relative, resolve, sep } from 'node:path';
import { Argument, Option } from 'commander';
import { requirePerson } from '../../../app/definitions/consent.ts';
import { type Project, withProject } from '../../../app/open-project.ts';
import { dropProposal, readSavedProposal, saveProposal } from '../../../app/saved-proposal.ts';
import { type AgentOptions, strongestModel, withAgent } from '../../../app/sessions/agent-session.ts';
import type { CommandContext, Output } from '../../../app/world.ts';
import { addDependencies, isEmpty, type Proposal } from '../../../domain/planning/proposal.ts';
import { Refusal } from '../../../domain/refusal.ts';
import { plural } from '../../../domain/text/text.ts';
import { applyProposal } from '../../../queue/planning/apply-proposal.ts';
import { missingInProposal } from '../../../queue/planning/read-proposal.ts';
import { allFeatures } from '../../../queue/tasks/features.ts';
import type { PlanningResult } from '../../../supervisor/planning.ts';
import {
  leftOutLine,
  missingText,
  proposalText,
  referenceIn,
  twinLine,
} from '../../../text/proposal-text.ts';
import { oneLine, shortId } from '../../../text/terminal/style.ts';
import { defineCommand } from '../../command.ts';
import { agentOptions } from '../../parse.ts';
import {
  logCommand,
  planningCost,
  planningFailure,
  planningRemarks,
  planSession,
} from '../../terminal/plan-session.ts';

type PlanOptions = AgentOptions & {
  dryRun?: boolean;
  yes?: boolean;
  apply?: string;
  addDependencies?: boolean;
};

export const plan = defineCommand<[places: string[]], PlanOptions>({
  name: 'plan',
  summary: 'turn specifications into features and tasks',
  group: 'Plan',
  args: [
    new Argument('[dirs...]', 'folders or files with specifications; by default those of the configuration'),
  ],
  options: [
    new Option('--dry-run', 'show what would change, and change nothing'),
    new Option('--yes', 'do not ask'),
    new Option('--apply <plan>', 'apply a plan that was shown before, without another session'),
    new Option('--add-dependencies', 'add the dependencies that seem to be missing, too'),
    ...agentOptions(),
  ],
  examples: [
    'ralph plan',
    'ralph plan docs/specs --dry-run',
    'ralph plan --apply 3f2a1b2c',
    'ralph plan --apply 3f2a1b2c --add-dependencies',
  ],
  run: (context, [places], options) =>
    options.apply === undefined
      ? planFrom(context, places, options)
      : withProject(context, async (project) => {
          await requirePerson(context, project, 'applies a plan');
          return applySaved(project, options.apply ?? '', options.addDependencies ?? false);
        }),
});

function planFrom(context: CommandContext, places: string[], options: PlanOptions): Promise<Output> {
  return withAgent(context, options, async (session, project) => {
    const { config, root } = session;
    const [{ findSpecs, hashFiles }, { writePrompt }] = await Promise.all([
      import('../../../context/find-specs.ts'),
      import('../../../app/sessions/prompt.ts'),
    ]);
    const paths = places.map((place) => relative(root, resolve(context.cwd, place)).split(sep).join('/'));
    const specs = await findSpecs(root, paths.length === 0 ? config.specs : paths);
    const stamp = await hashFiles(root, specs);
    const planned = await planSession(
      context,
      {
        ...session,
        writePrompt: (recipe, about) => writePrompt(context, project, recipe, about, { ...config, specs }),
      },
      {
        what: `planning from ${plural(specs.length, 'specification')}`,
        recipe: 'plan',
        about: {},
        model: options.model ?? strongestModel(config),
        budget_usd: options.budget ?? config.limits.session_budget_usd,
      },
    );
    const unheld = planningFailure(planned, config.agent, 'ralph plan');
    if (unheld !== null) return unheld;
    if (!planned.isUntouched || (await hashFiles(root, specs)) !== stamp)
      throw new Refusal(
        `Files of the project changed while the plan was made, so the plan is void (${planningCost(planned)}); see what the session did with ${logCommand(planned)}, then plan again.`,
      );
    const missing = await uncovered(project, planned.proposal, specs);
    if (isEmpty(planned.proposal)) return nothingNew(planned, missing);
    await saveProposal(project.stateDir, planned);
    return decide(context, project, planned, missing, options);
  });
}

/** Specifications without a feature, in the queue or in the proposal. */
async function uncovered({ queue }: Project, { features }: Proposal, specs: string[]): Promise<string[]> {
  const knownSpecs = (await allFeatures(queue)).map(({ feature }) => feature.spec_file);
  const files = [...knownSpecs, ...features.map(({ fields }) => fields.spec_file)];
  const covered = new Set(files.map((file) => (file === null ? '' : posix.normalize(file))));
  return specs.filter((spec) => !covered.has(spec));
}

function nothingNew(planned: PlanningResult, missing: readonly string[]): Output {
  const left = planned.proposal.left_out.map((one) => `${leftOutLine(one)}\n`).join('');
  const json = { plan: planned.session_id, applied: false, proposal: planned.proposal, missing };
  if (missing.length === 0)
    return {
      json,
      text: `${left}Nothing is new: every specification has its feature (${planningCost(planned)}).`,
    };
  return {
    json,
    text: `Nothing was planned, although the session finished (${planningCost(planned)}): no feature comes from ${missing.map(oneLine).join(', ')}. See what it said: ${logCommand(planned)}`,
    exitCode: 1,
  };
}

async function decide(
  context: CommandContext,
  project: Project,
  planned: PlanningResult,
  missing: readonly string[],
  { dryRun = false, yes = false, addDependencies: isAdding = false }: PlanOptions,
): Promise<Output> {
  const { terminal, asJson, pipes } = context;
  const remarks = planningRemarks(planned);
  const inferred = await missingInProposal(project.queue, planned.proposal);
  const shown = [
    proposalText(planned.proposal, terminal),
    ...(inferred.length === 0 ? [] : ['', missingText(inferred, referenceIn(planned.proposal))]),
    ...remarks.lines,
    ...missing.map((spec) => `! No feature comes from ${oneLine(spec)}.`),
  ].join('\n');
  const json = { plan: planned.session_id, cost_usd: planned.end.usage.cost_usd, missing, inferred };
  const left = (exitCode: number, above: string): Output => ({
    json: { ...json, applied: false, proposal: planned.proposal },
    text: `${above}Nothing was changed (${planningCost(planned)}). Apply exactly this: ralph plan --apply ${shortId(planned.session_id)}${inferred.length === 0 ? '' : `, or with --add-dependencies`}`,
    exitCode,
  });
  if (dryRun) return left(0, `${shown}\n`);
  let accepted = isAdding ? inferred : [];
  if (!yes) {
    const { ask } = terminal;
    // Exit code 10: the plan waits for a person.
    if (ask === null || asJson) return left(10, `${shown}\n`);
    pipes.print(`${shown}\n`);
    if (!isYes(await ask('Apply it? [y/N] '))) return left(0, '');
    if (inferred.length > accepted.length && isYes(await ask('Add these dependencies, too? [y/N] ')))
      accepted = inferred;
  }
  const proposal = addDependencies(planned.proposal, accepted);
  const applied = await applyProposal(project.queue, proposal, 'pending');
  await dropProposal(project.stateDir, planned.session_id);
  return {
    json: { ...json, applied: true, ...applied },
    text: [
      ...(yes ? [shown] : []),
      ...applied.twins.map(twinLine),
      `Applied (${planningCost(planned)}). Work on it: ralph run`,
    ].join('\n'),
    exitCode: remarks.exitCode,
  };
}

const isYes = (answer: string): boolean => /^y(es)?$/i.test(answer.trim());

async function applySaved({ queue, stateDir }: Project, name: string, isAdding: boolean): Promise<Output> {
  const { session_id, proposal } = await readSavedProposal(stateDir, name);
  const inferred = isAdding ? await missingInProposal(queue, proposal) : [];
  const applied = await applyProposal(queue, addDependencies(proposal, inferred), 'pending');
  await dropProposal(stateDir, session_id);
  const { features, added, changed, twins } = applied;
  return {
    json: { plan: session_id, applied: true, ...applied },
    text: [
      ...twins.map(twinLine),
      `Applied: ${plural(features.length, 'feature')}, ${plural(added.length, 'task')}, ${changed.length} changed. Work on it: ralph run`,
    ].join('\n'),
  };
}
