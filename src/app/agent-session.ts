// What every command that launches one session of the agent begins with: trust, configuration, the person's Ctrl-C.

import type { Config } from '../domain/config.ts';
import { Refusal } from '../domain/refusal.ts';
import { failureBy } from '../domain/sessions/agent-failure.ts';
import { faultWords, type Interruption, PAUSE_SECONDS } from '../domain/sessions/session.ts';
import { localTime } from '../domain/text/amounts.ts';
import { watchOver } from '../host/processes/watcher.ts';
import { readConfig } from '../project/read-config.ts';
import type { SupervisorInput } from '../supervisor/input.ts';
import type { AgentEnd } from '../supervisor/session-end.ts';
import { type Project, syncDefinitions, withQueue } from './open-project.ts';
import { requirePerson, requireTrusted } from './trust.ts';
import type { CommandContext, Output } from './world.ts';

export type AgentOptions = { agent?: string; model?: string; budget?: number };
export type AgentSession = Omit<SupervisorInput, 'trust' | 'baseline' | 'limits' | 'sync' | 'settled'>;

export function withAgent(
  context: CommandContext,
  { agent }: AgentOptions,
  work: (session: AgentSession, project: Project) => Promise<Output>,
): Promise<Output> {
  // It would spend what nobody has allowed, and beside a run nothing else would stop it.
  requirePerson(context, 'begins another one');
  return withQueue(context, async (project, follow) => {
    await syncDefinitions(project);
    await follow('take');
    await requireTrusted(context, project);
    const read = await readConfig(project.root);
    requireAgent(agent, Object.keys(read.agents));
    const config: Config = { ...read, agent: agent ?? read.agent };
    const { writePrompt } = await import('./mcp-backend.ts');
    // One session: there is nothing that could come after it, so the first Ctrl-C ends it.
    const { after } = context.pipes.interrupts();
    const session: AgentSession = {
      ...project,
      env: context.env,
      config,
      ralph: [context.program.node, context.program.script],
      wait: { enabled: false, pauseMs: 1_000 * PAUSE_SECONDS },
      stop: { after, now: after },
      writePrompt: (recipe, about) => writePrompt(context, project, recipe, about, config),
      tell: () => {},
    };
    // No agent may move the queue by a file, whatever it was launched for.
    const watching = watchOver(session.ralph);
    return work(session, project)
      .finally(watching.close)
      .finally(() => follow('set aside'));
  });
}

/** The strongest model there is: what it writes is what all others work by. */
export const strongestOf = ({ ladder, model }: Config): string => ladder.at(-1) ?? model;

/** Why a session did not come to its end, with the exit code that says so. */
export function unheld(
  end: AgentEnd,
  { fault, resume_at }: Interruption,
  { agent, command }: { agent: string; command: string },
): Output {
  const said = { unheld: fault };
  if (fault === 'supervisor_killed')
    return { json: said, text: 'Stopped by you; nothing was changed.', exitCode: 130 };
  const failure = failureBy(fault);
  if (failure?.policy === 'limit') {
    const when = end.limited_until === null || resume_at === null ? 'later' : `after ${localTime(resume_at)}`;
    return {
      json: said,
      text: `The agent "${agent}" has reached its limit; run ${command} again ${when}.`,
      exitCode: 12,
    };
  }
  const sentence =
    failure?.sentence({ agent, command, detail: end.detail }) ??
    `The agent "${agent}" cannot be used (${faultWords(fault)}); ralph doctor looks for the reason.`;
  return { json: said, text: sentence, exitCode: failure?.exit_code ?? 13 };
}

export function requireAgent(name: string | undefined, own: readonly string[]): void {
  const known = ['claude', ...own];
  if (name !== undefined && !known.includes(name))
    throw new Refusal(`There is no agent "${name}"; there are ${known.join(', ')}.`);
}
