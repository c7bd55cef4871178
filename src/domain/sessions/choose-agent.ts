// Which agent works on a task, and with which model. A model may name its agent, `codex/gpt-5-codex`, or be one: `codex`.
import type { Config } from '../config.ts';
import type { Task } from '../tasks/task.ts';
import { AGENT_NAMES, findKnownAgent } from './agent-names.ts';

/** `model`: null for the agent's own default. */
export type ChosenAgent = { agent: string; model: string | null };

type Agents = Pick<Config, 'agents'>;

/** Names that only Claude Code knows. To another agent of Ralph's they say nothing, so that one takes its own default. */
const CLAUDE_MODELS = ['haiku', 'sonnet', 'opus'];

/** A name that begins with no agent is a model of `otherwise`, even if it has a slash. */
export function parseModel(text: string, otherwise: string, { agents }: Agents): ChosenAgent {
  const [first = '', ...rest] = text.split('/');
  const isAgent = rest.length > 0 && (Object.hasOwn(agents, first) || findKnownAgent(first) !== null);
  if (isAgent) return { agent: first, model: rest.join('/') };
  if (findKnownAgent(text) !== null) return { agent: text, model: null };
  const isOwn = otherwise === 'claude' || Object.hasOwn(agents, otherwise);
  return { agent: otherwise, model: !isOwn && CLAUDE_MODELS.includes(text) ? null : text };
}

/** As people see it. Claude Code, and an agent of the person's own, go without saying. */
export const chosenText = ({ agent, model }: ChosenAgent): string => {
  const isPlain = agent === 'claude' || findKnownAgent(agent) === null;
  return isPlain || model === null ? (model ?? agent) : `${agent}/${model}`;
};

export type AgentChoice = {
  /** The model that the agent of the last session asked for. */
  requestedModel: string | null;
  task: Pick<Task, 'model' | 'attempts' | 'stuck_count'>;
  discipline: { model: string | null } | null;
  config: Pick<Config, 'agent' | 'agents' | 'model' | 'ladder'>;
  /** What the person asked for on the command line. */
  fixed?: { agent: string | null; model: string | null };
};

/** Starts with the model of the task, its discipline or the project, and climbs the ladder with each failed attempt. */
export function chooseAgent({ requestedModel, task, discipline, config, fixed }: AgentChoice): ChosenAgent {
  const base = fixed?.agent ?? config.agent;
  const parse = (text: string): ChosenAgent => {
    const chosen = parseModel(text, base, config);
    // A person who names an agent wants no other.
    const isOther = fixed?.agent !== undefined && fixed.agent !== null && chosen.agent !== fixed.agent;
    return isOther ? { agent: base, model: null } : chosen;
  };
  if (fixed?.model !== undefined && fixed.model !== null) return parse(fixed.model);
  // Only models on the project's ladder: an agent must not choose any price.
  if (requestedModel !== null && config.ladder.includes(requestedModel)) return parse(requestedModel);
  const first = parse(task.model ?? discipline?.model ?? config.model);
  const failed = task.attempts + task.stuck_count;
  const ladder = config.ladder.map(parse);
  const at = ladder.findIndex(({ agent, model }) => agent === first.agent && model === first.model);
  if (failed === 0 || at < 0) return first;
  return ladder[Math.min(at + failed, ladder.length - 1)] ?? first;
}

/** Every agent that the configuration names, each once. */
export function configuredAgents(
  config: Pick<Config, 'agent' | 'agents' | 'ladder' | 'model' | 'review'>,
  more: readonly (string | null | undefined)[] = [],
): string[] {
  const named = [
    config.model,
    ...config.ladder,
    ...(config.review.when === 'never' ? [] : [config.review.model]),
  ];
  const agents = named.map((text) => parseModel(text, config.agent, config).agent);
  return [...new Set([config.agent, ...agents, ...more.filter((name) => typeof name === 'string')])];
}

/** The name of an agent that does not exist, or null. */
export const unknownAgent = (names: readonly string[], { agents }: Agents): string | null =>
  names.find((name) => !Object.hasOwn(agents, name) && findKnownAgent(name) === null) ?? null;

export const agentNames = ({ agents }: Agents): string[] => [
  ...new Set([...AGENT_NAMES, ...Object.keys(agents)]),
];
