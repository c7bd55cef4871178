import type { Config } from '../../domain/config.ts';
import { Refusal } from '../../domain/refusal.ts';
import type { Agent } from './agent.ts';
import { claude } from './claude.ts';
import { commandAgent } from './command.ts';

export function findAgent({ agent, agents, review }: Pick<Config, 'agent' | 'agents' | 'review'>): Agent {
  const own = Object.hasOwn(agents, agent) ? agents[agent] : undefined;
  if (own === undefined) return claude;
  if (own.protocol === 'sigils' && review.when !== 'never')
    throw new Refusal(
      `The agent "${agent}" reports by sigils, and there is none for a verdict: set review.when to never, or let it use the verbs.`,
    );
  return commandAgent(own);
}
