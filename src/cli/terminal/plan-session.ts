// Runs one planning session for a command, and describes its result.
import { type AgentSession, sessionFailure } from '../../app/sessions/agent-session.ts';
import type { CommandContext, Output } from '../../app/world.ts';
import { isEmpty } from '../../domain/planning/proposal.ts';
import { Refusal } from '../../domain/refusal.ts';
import { findFailure } from '../../domain/sessions/agent-failure.ts';
import { chosenText, parseModel } from '../../domain/sessions/choose-agent.ts';
import { faultWords } from '../../domain/sessions/session.ts';
import { costText, stopwatch } from '../../domain/text/amounts.ts';
import type { Observation } from '../../supervisor/agents/agent.ts';
import type { PlanningResult, PlanningSubject } from '../../supervisor/planning.ts';
import { oneLine, shortId, shortModel } from '../../text/terminal/style.ts';
import { clip } from '../../text/terminal/table.ts';
import { stickyFooter } from './sticky-footer.ts';

/** `what`: shown to the person who waits. */
type PlanSession = Omit<PlanningSubject, 'onObservation' | 'model'> & { what: string; model: string };

export async function planSession(
  context: CommandContext,
  session: AgentSession,
  { what, model, ...subject }: PlanSession,
): Promise<PlanningResult> {
  const { config } = session;
  const chosen = parseModel(model, config.agent, config);
  if (Object.hasOwn(config.agents, chosen.agent) && config.agents[chosen.agent]?.protocol === 'sigils')
    throw new Refusal(
      `The agent "${chosen.agent}" reports by sigils, which cannot create a task; use another agent: --agent claude`,
    );
  const [{ findAgent }, { holdPlanning }] = await Promise.all([
    import('../../supervisor/agents/index.ts'),
    import('../../supervisor/planning.ts'),
  ]);
  const watch = watchSession(context, what, chosenText(chosen));
  try {
    return await holdPlanning(session, findAgent(config, chosen.agent), {
      ...subject,
      model: chosen.model,
      onObservation: watch.hear,
    });
  } finally {
    watch.close();
  }
}

/** The output if the session failed without a proposal, or the person stopped it; null otherwise. */
export function planningFailure(
  { end, ended, proposal }: PlanningResult,
  agent: string,
  command: string,
): Output | null {
  if (ended.kind !== 'infrastructure') return null;
  return ended.fault === 'supervisor_killed' || isEmpty(proposal)
    ? sessionFailure(end, ended, { agent, command })
    : null;
}

/** What else to say about a session with a proposal, and the exit code. */
export function planningRemarks({ ended, isUntouched }: PlanningResult): {
  lines: string[];
  exitCode: number;
} {
  const changed = '! Files of the project changed while the session was at work; git status shows them.';
  const lines = isUntouched ? [] : [changed];
  if (ended.kind === 'exited') return { lines, exitCode: 0 };
  const why = ended.kind === 'limit' ? ended.limit : faultWords(ended.fault);
  return {
    lines: [...lines, `! The session ended early (${why}): there may be more to do.`],
    exitCode: ended.kind === 'infrastructure' && findFailure(ended.fault)?.exit_code === 12 ? 12 : 0,
  };
}

export const planningCost = ({ end }: PlanningResult): string => costText(end.usage.cost_usd);

/** The command that shows what the session did. */
export const logCommand = ({ session_id }: PlanningResult): string => `ralph log ${shortId(session_id)}`;

// What a person sees while one session works: a line that is redrawn, and nothing in a pipe.

type SessionWatch = { hear(observation: Observation): void; close(): void };

function watchSession(
  { pipes, asJson, now }: Pick<CommandContext, 'pipes' | 'asJson' | 'now'>,
  what: string,
  model: string,
): SessionWatch {
  if (asJson || pipes.screen === null) return { hear: () => {}, close: () => {} };
  const began = now();
  let turns = 0;
  let action = 'Ctrl-C stops it';
  const pane = stickyFooter(pipes.screen, ({ columns }) => [
    clip(
      `▶ ${what}  ${stopwatch(now() - began)}  turn ${turns}  ${shortModel(model)}  ${oneLine(action)}`,
      columns,
    ),
  ]);
  pane.touch();
  return {
    hear: (observation) => {
      if (observation.kind !== 'turn') return;
      turns += 1;
      action = observation.action ?? action;
      pane.touch();
    },
    close: () => pane.close(),
  };
}
