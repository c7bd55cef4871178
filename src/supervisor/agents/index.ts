import type { Config } from '../../domain/config.ts';
import { Refusal } from '../../domain/refusal.ts';
import { type AgentName, findKnownAgent } from '../../domain/sessions/agent-names.ts';
import { agentNames, type ChosenAgent, parseModel } from '../../domain/sessions/choose-agent.ts';
import type { Agent, AgentSettings } from './agent.ts';
import { claude } from './claude.ts';
import { codex } from './codex.ts';
import { commandAgent } from './command.ts';
import { copilot } from './copilot.ts';
import { gemini } from './gemini.ts';
import { opencode } from './opencode.ts';
import { qwen } from './qwen.ts';

const ADAPTERS: Readonly<Record<AgentName, (settings: AgentSettings) => Agent>> = {
  claude: () => claude,
  codex,
  gemini,
  opencode,
  qwen,
  copilot,
};

type Agents = Pick<Config, 'agent' | 'agents' | 'agent_settings' | 'review'>;

/** An agent of the person's own comes before one of Ralph's. */
export function findAgent({ agent, agents, agent_settings, review }: Agents, name: string = agent): Agent {
  const own = Object.hasOwn(agents, name) ? agents[name] : undefined;
  if (own === undefined && findKnownAgent(name) === null)
    throw new Refusal(`There is no agent "${name}"; there are ${agentNames({ agents }).join(', ')}.`);
  if (own === undefined) return ADAPTERS[name as AgentName](agent_settings[name] ?? {});
  if (
    own.protocol === 'sigils' &&
    review.when !== 'never' &&
    name === chooseReviewer({ agent, agents, review }).agent
  )
    throw new Refusal(
      `The agent "${name}" reports by sigils, and no sigil reports a review; set review.when to never, or let it report by verbs.`,
    );
  return commandAgent(own);
}

/** Who reviews, and with which model. */
export const chooseReviewer = ({
  agent,
  agents,
  review,
}: Pick<Config, 'agent' | 'agents' | 'review'>): ChosenAgent => parseModel(review.model, agent, { agents });
