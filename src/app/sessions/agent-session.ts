// How a command launches one session of the agent: trust, configuration, the person's Ctrl-C.

import type { Config } from '../../domain/config.ts';
import { findFailure } from '../../domain/sessions/agent-failure.ts';
import { parseModel } from '../../domain/sessions/choose-agent.ts';
import { faultWords, type Interruption } from '../../domain/sessions/session.ts';
import { localTime } from '../../domain/text/amounts.ts';
import { visible } from '../../domain/text/text.ts';
import { watchOver } from '../../host/processes/watcher.ts';
import { readConfig } from '../../project/read-config.ts';
import { requireKnown } from '../../project/require-agents.ts';
import type { AgentEnd } from '../../supervisor/agents/session-end.ts';
import type { SupervisorInput } from '../../supervisor/input.ts';
import { requirePersonOrProgram } from '../definitions/consent.ts';
import { requireNothingHeldBeside, whileAgentsWork } from '../definitions/definitions.ts';
import { requireTrusted } from '../definitions/trust.ts';
import { type Project, sync, withWorkerQueue } from '../open-project.ts';
import type { CommandContext, Output } from '../world.ts';
import { openProjectSandbox } from './sandbox.ts';
import { openSessionServer } from './session-server.ts';
import { slotsFolder } from './slots.ts';

export type AgentOptions = { agent?: string; model?: string; budget?: number };
export type AgentSession = Omit<
  SupervisorInput,
  'trust' | 'baseline' | 'limits' | 'wait' | 'patience' | 'sync' | 'settled' | 'tell'
>;

export function withAgent(
  context: CommandContext,
  { agent }: AgentOptions,
  work: (session: AgentSession, project: Project) => Promise<Output>,
): Promise<Output> {
  return withWorkerQueue(context, async (project) => {
    // An agent that starts sessions would spend money that no person has allowed, and nothing would stop it.
    await requirePersonOrProgram(context, project, 'starts another one');
    await sync(project);
    await requireTrusted(context, project);
    await requireNothingHeldBeside(project);
    const read = await readConfig(project.root);
    requireAgent(agent, read);
    // A person who names an agent wants no other.
    const isOwn = (text: string): boolean =>
      agent === undefined || parseModel(text, agent, read).agent === agent;
    const config: Config = { ...read, agent: agent ?? read.agent, ladder: read.ladder.filter(isOwn) };
    const { writePrompt } = await import('./prompt.ts');
    // No second session follows, so the first Ctrl-C ends this one.
    const { after } = context.pipes.interrupts();
    const report = (sentence: string): void => context.pipes.log(`ralph: ${visible(sentence)}\n`);
    const { sandbox, notice, agentsCanWriteHere } = await openProjectSandbox(context, project, config);
    if (notice !== null) report(notice);
    const sessions = await openSessionServer(context, project, report);
    const session: AgentSession = {
      ...project,
      sandbox,
      sessions,
      version: context.version,
      slotsFolder: slotsFolder(context.env, project, config.slots),
      env: context.env,
      config,
      ralph: [context.program.node, context.program.script],
      stop: { after, now: after },
      writePrompt: (recipe, about) => writePrompt(context, project, recipe, about, config),
    };
    const watching = watchOver(session.ralph);
    return (
      whileAgentsWork(project, { agentsCanWriteHere, tell: report }, () => work(session, project))
        .finally(watching.close)
        .finally(sessions.close)
        // No agent may change the queue by a file, whatever it was launched for.
        .finally(() => project.mirror.setEditsAside())
    );
  });
}

/** For planning: all later sessions work from its result. */
export const strongestModel = ({ ladder, model }: Config): string => ladder.at(-1) ?? model;

/** Why a session did not finish, with its exit code. */
export function sessionFailure(
  end: AgentEnd,
  { fault, resume_at }: Interruption,
  { agent, command }: { agent: string; command: string },
): Output {
  const json = { unheld: fault };
  if (fault === 'supervisor_killed')
    return { json, text: 'Stopped by you; nothing was changed.', exitCode: 130 };
  const failure = findFailure(fault);
  if (resume_at !== null)
    return {
      json,
      text: `The agent "${agent}" has reached its usage limit; run ${command} again after ${localTime(resume_at)}.`,
      exitCode: 12,
    };
  const sentence =
    failure?.sentence({ agent, command, detail: end.detail }) ??
    `The agent "${agent}" cannot be used (${faultWords(fault)}); find the reason with: ralph doctor`;
  return { json, text: sentence, exitCode: failure?.exit_code ?? 13 };
}

export const requireAgent = (name: string | undefined, config: Pick<Config, 'agents'>): void =>
  requireKnown([name], config, '');
