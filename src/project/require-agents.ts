// A name of an agent that nothing starts is refused when a person writes it, not when its task is due.
import type { Config } from '../domain/config.ts';
import type { Backlog } from '../domain/exchange/backlog.ts';
import { Refusal } from '../domain/refusal.ts';
import { agentNames, unknownAgent } from '../domain/sessions/choose-agent.ts';
import { didYouMean } from '../domain/text/did-you-mean.ts';
import { readConfig } from './read-config.ts';

type Name = string | null | undefined;

/** `place`: where the names stand, if the reader may look for it. */
export async function requireAgents(root: string, names: readonly Name[], place = ''): Promise<void> {
  if (names.some((name) => typeof name === 'string')) requireKnown(names, await readConfig(root), place);
}

/** `place`: the file, for instance. */
export const requireBacklogAgents = (
  { tasks }: Pick<Backlog, 'tasks'>,
  config: Pick<Config, 'agents'>,
  place: string,
): void =>
  requireKnown(
    tasks.map(({ fields }) => fields.agent),
    config,
    `${place}: `,
  );

export function requireKnown(names: readonly Name[], config: Pick<Config, 'agents'>, place: string): void {
  const unknown = unknownAgent(
    names.filter((name) => typeof name === 'string'),
    config,
  );
  if (unknown === null) return;
  const knownNames = agentNames(config);
  const hint = didYouMean(unknown, knownNames) || '.';
  throw new Refusal(
    `${place}There is no agent "${unknown}"; there are ${knownNames.join(', ')}${hint} Agents of your own stand in .ralph/config.yaml.`,
  );
}
