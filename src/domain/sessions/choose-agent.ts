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

/** The place that named the agent. */
export type AgentSource = 'command line' | 'task' | 'discipline' | 'project' | 'ladder';

export type AgentDecision = ChosenAgent & { from: AgentSource };

/** Either may be missing. */
type Named = { agent: string | null; model: string | null };

const SOURCES: Readonly<Record<AgentSource, string>> = {
  'command line': 'as you asked',
  task: 'as the task says',
  discipline: 'as its discipline says',
  project: 'as the project says',
  ladder: 'the next of the ladder',
};

/** Such as `codex with gpt-5-codex, as its discipline says`. */
export const decisionText = ({ agent, model, from }: AgentDecision): string =>
  `${agent}${model === null ? '' : ` with ${model}`}, ${SOURCES[from]}`;

/** Where the agent of a task was chosen. */
export type AgentPlace = { from: AgentSource; task_id: number; discipline: string | null };

/** How a person chooses another agent there. */
export function chooseAnotherText(place: AgentPlace | null): string {
  switch (place?.from) {
    case 'task':
      return `choose another with ralph edit ${place.task_id} --agent NAME`;
    case 'discipline':
      return `choose another with ralph discipline edit ${place.discipline} --agent NAME`;
    case 'command line':
      return 'choose another with --agent';
    case 'ladder':
      return 'choose another in the ladder of .ralph/config.yaml';
    default:
      return 'choose another in .ralph/config.yaml';
  }
}

export type AgentChoice = {
  /** The model that the agent of the last session asked for. */
  requestedModel: string | null;
  task: Pick<Task, 'agent' | 'model' | 'attempts' | 'stuck_count'>;
  discipline: Named | null;
  config: Pick<Config, 'agent' | 'agents' | 'model' | 'ladder' | 'when_limited'>;
  /** Agents that may start nothing now. */
  parked?: readonly string[];
  /** What the person asked for on the command line. */
  fixed?: Named;
};

const NOTHING: Named = { agent: null, model: null };

/**
 * The most specific place that names an agent decides. Its `agent` holds for every try: only the rungs of that agent count. An
 * agent in a `model` is only where the task begins: after each failure it climbs the whole ladder.
 */
export function chooseAgent(choice: AgentChoice): AgentDecision {
  const { requestedModel, task, config, fixed = NOTHING, parked = [] } = choice;
  const { fixedAgent, from, agent, model } = chooseFirst(choice);
  if (fixed.model !== null) return { agent, model: model ?? null, from };
  const parse = (text: string): ChosenAgent => parseModel(text, unnamedOwner(fixedAgent, config), config);
  const isAllowed = (rung: ChosenAgent): boolean => fixedAgent === null || rung.agent === fixedAgent;
  const decide = (rung: ChosenAgent): AgentDecision => ({
    ...rung,
    from: rung.agent === agent ? from : 'ladder',
  });
  // Only models on the project's ladder: an agent must not choose any price.
  const requested = config.ladder.filter((text) => text === requestedModel).map(parse);
  const rungs = config.ladder.map(parse).filter(isAllowed);
  const pass = (rung: ChosenAgent): ChosenAgent =>
    config.when_limited === 'climb' ? climbPast(parked, rung, rungs) : rung;
  if (requested[0] !== undefined && isAllowed(requested[0])) return decide(pass(requested[0]));
  const first = { agent, model: model === undefined ? (rungs[0]?.model ?? null) : model };
  const failed = task.attempts + task.stuck_count;
  const at = rungs.findIndex((rung) => rung.agent === first.agent && rung.model === first.model);
  const rung = failed === 0 || at < 0 ? first : (rungs[Math.min(at + failed, rungs.length - 1)] ?? first);
  return decide(pass(rung));
}

/** The next rung of an agent that may work, from the bottom again after the top; the same rung if there is none. */
function climbPast(parked: readonly string[], rung: ChosenAgent, rungs: readonly ChosenAgent[]): ChosenAgent {
  if (!parked.includes(rung.agent)) return rung;
  const at = rungs.findIndex(({ agent, model }) => agent === rung.agent && model === rung.model);
  const others = [...rungs.slice(at + 1), ...rungs.slice(0, at + 1)];
  return others.find(({ agent }) => !parked.includes(agent)) ?? rung;
}

type First = {
  agent: string;
  /** Undefined if no place has a model of that agent. */
  model: string | null | undefined;
  from: AgentSource;
  /** The agent, if an `agent` other than the project's named it. */
  fixedAgent: string | null;
};

function chooseFirst({ task, discipline, config, fixed = NOTHING }: AgentChoice): First {
  const places: (Named & { from: AgentSource })[] = [
    { from: 'command line', ...fixed },
    { from: 'task', agent: task.agent, model: task.model },
    { from: 'discipline', agent: discipline?.agent ?? null, model: discipline?.model ?? null },
    { from: 'project', agent: config.agent, model: config.model },
  ];
  const models = places.flatMap(({ from, agent, model }, index) => {
    // A model without an agent is one of the agent that holds at its place.
    const below = from === 'command line' ? [] : places.slice(index);
    const owner = agent ?? below.find((one) => one.agent !== null)?.agent ?? config.agent;
    const isNamed = model !== null && parseModel(model, '', config).agent !== '';
    return model === null ? [] : [{ from, text: model, isNamed, ...parseModel(model, owner, config) }];
  });
  for (const { from, agent } of places) {
    const own = models.find((one) => one.from === from);
    const named = own?.isNamed || from === 'command line' ? (own?.agent ?? null) : null;
    const chosen = from === 'project' ? (named ?? agent) : (agent ?? named);
    if (chosen === null) continue;
    const fixedAgent = from === 'project' ? null : agent;
    const isPersons = Object.hasOwn(config.agents, chosen);
    const model = models.find((one) => one.agent === chosen || (isPersons && !one.isNamed));
    return {
      agent: chosen,
      model: model?.agent === chosen ? model.model : model?.text,
      from,
      fixedAgent,
    };
  }
  return { agent: config.agent, model: null, from: 'project', fixedAgent: null };
}

/** Whose models the rungs without an agent are. A person's own agent knows whatever names the person gave the rungs. */
const unnamedOwner = (held: string | null, { agent, agents }: Pick<Config, 'agent' | 'agents'>): string =>
  held !== null && Object.hasOwn(agents, held) ? held : agent;

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

/** With those that disciplines and tasks name. */
export function agentsInUse(
  config: Parameters<typeof configuredAgents>[0],
  named: readonly Named[],
): string[] {
  const inModels = named.map(({ model }) => parseModel(model ?? '', '', config).agent || null);
  return configuredAgents(config, [...named.map(({ agent }) => agent), ...inModels]);
}

/** The name of an agent that does not exist, or null. */
export const unknownAgent = (names: readonly string[], { agents }: Agents): string | null =>
  names.find((name) => !Object.hasOwn(agents, name) && findKnownAgent(name) === null) ?? null;

export const agentNames = ({ agents }: Agents): string[] => [
  ...new Set([...AGENT_NAMES, ...Object.keys(agents)]),
];
