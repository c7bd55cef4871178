// One session of a task: prepares the tree, launches the agent, and restores Ralph's own state afterwards.
import { findKnownAgent } from '../../domain/sessions/agent-names.ts';
import { type ChosenAgent, chosenText, unknownAgent } from '../../domain/sessions/choose-agent.ts';
import { isClosing } from '../../domain/sessions/signal.ts';
import { openStarterBesideAgent } from '../../host/git/git-process.ts';
import { type OwnFiles, readOwnFiles } from '../../host/own-files.ts';
import { whyNoCommand } from '../../host/processes/find-executable.ts';
import { findDatabase } from '../../queue/queue.ts';
import { catchHindrance } from '../../queue/sessions/finish.ts';
import { stopListening } from '../../queue/sessions/live-session.ts';
import { showSession } from '../../queue/sessions/sessions.ts';
import type { Claim } from '../../queue/tasks/claim.ts';
import type { Agent, LaunchSpec } from '../agents/agent.ts';
import { observeSession } from '../agents/observe-session.ts';
import { runAgent } from '../agents/run-agent.ts';
import { type AgentEnd, NOT_RUN } from '../agents/session-end.ts';
import { createEffects, type SessionEffects } from '../effects.ts';
import type { OpenedGround } from '../ground/ground.ts';
import { VERB_REMINDER } from '../hooks.ts';
import { takeBaseline } from '../red-baseline.ts';
import type { Run } from '../run.ts';
import { parkedPauses, type RunTotals } from '../run-totals.ts';
import { chooseTaskAgent, prepare } from './prepare.ts';
import { restoreState } from './tampering.ts';

export type WorkResult = {
  end: AgentEnd;
  /** The work tree when the agent was launched; null if it was not launched, or without git. */
  tree: string | null;
  /** Ralph's own files of the project before the session; null if the agent did not work in the checkout. */
  files: OwnFiles | null;
  began: number;
  effects: SessionEffects;
};

/** A failure before or after the agent's own work goes into `end`, so the session is finished like any other. */
export async function work(
  run: Run,
  totals: RunTotals & { /** What this session and its review may spend. */ left_usd: number },
  claimed: Claim,
): Promise<WorkResult> {
  const { input, place } = run;
  const { left_usd } = totals;
  const replacements = await findDatabase(input.queue);
  const workResult: WorkResult = {
    end: NOT_RUN,
    tree: null,
    files: null,
    began: performance.now(),
    // A review has what the session left: others were promised the rest of the run's budget.
    effects: createEffects(run, () => left_usd - workResult.end.usage.cost_usd, claimed),
  };
  const hindrance = await catchHindrance(async () => {
    const parked = parkedPauses(totals.pauses, input.queue.now()).map(({ agent }) => agent);
    const chosen = await chooseTaskAgent(input, claimed.task, parked);
    const { id: task_id, discipline } = claimed.task;
    const chosenAt = { from: chosen.from, task_id, discipline };
    const ready = await openTask(run, chosen.agent, claimed, workResult.effects);
    if ('fault' in ready) {
      workResult.end = { ...NOT_RUN, ...ready, agent: chosen.agent, place: chosenAt };
      return;
    }
    // The prompt shows the progress line of the session before. And the agent may remove the queue: the journal is then all that
    // is left of that session.
    await run.writes.journalWritten();
    const spec = await prepare(input, claimed, chosen, left_usd, ready);
    // While a session works in a slot, only the person changes the checkout.
    if (ready.slot === null) workResult.files = readOwnFiles(place.root);
    workResult.tree = ready.tree;
    const end = await launch(run, ready.agent, claimed, { ...ready, spec, chosen }, replacements);
    workResult.end = { ...end, place: chosenAt };
  });
  if (hindrance !== null) workResult.end = { ...NOT_RUN, fault: 'machine_failed', hindrance };
  return workResult;
}

type NotStarted = Pick<AgentEnd, 'fault'> & Partial<Pick<AgentEnd, 'detail'>>;

/** Makes the files ready and takes the baseline. */
async function openTask(
  { input, tampering, ground, findAgent }: Run,
  name: string,
  claimed: Claim,
  { effects }: SessionEffects,
): Promise<(OpenedGround & { agent: Agent }) | NotStarted> {
  const opened = await ground.open(claimed);
  if (!(await tampering.isAllowed())) return { fault: 'not_trusted' };
  // The configuration may have dropped the agent since a person chose it.
  if (unknownAgent([name], input.config) !== null) return { fault: 'no_agent' };
  const agent = findAgent(name);
  // Before the gates run: they may take minutes.
  const missing = whyNoCommand(agent.executable, opened.root, input.env['PATH']);
  if (missing !== null) return { fault: 'cannot_start', detail: missing };
  // Its own sandbox would enclose nothing of another program.
  if (input.sandbox.bash !== null && agent.executable !== 'claude')
    return { fault: 'cannot_start', detail: 'the sandbox "bash" encloses only Claude Code' };
  // A person changed what judges the task. Changes by the task itself are found when it says done.
  if (opened.tree !== null && (await ground.isTampered(claimed))) return { fault: 'not_trusted' };
  const { accepted } = input.baseline;
  const red = await takeBaseline(input.queue, effects, claimed, accepted);
  if (red.length > 0) input.tell({ kind: 'red_before', claim: claimed, gates: red });
  if (input.stop.after.aborted) return { fault: 'supervisor_killed' };
  return { ...opened, agent };
}

async function launch(
  run: Run,
  agent: Agent,
  claimed: Claim,
  {
    spec,
    slot,
    inside,
    chosen,
  }: Pick<OpenedGround, 'slot' | 'inside'> & {
    spec: LaunchSpec;
    chosen: ChosenAgent;
  },
  /** How often the database had been replaced before the session. */
  replacements: number,
): Promise<AgentEnd> {
  const { input, writes, ground } = run;
  const { queue, stateDir, env, config } = input;
  const { id: session_id } = claimed.session;
  const model = chosenText(chosen);
  if (findKnownAgent(chosen.agent) !== null && agent.tellsCost !== true)
    run.tellOnce({ kind: 'without_cost', agent: chosen.agent, max_turns: config.limits.max_turns });
  input.tell({ kind: 'started', claim: claimed, slot, model, max_turns: spec.max_turns });
  const observer = observeSession(input, agent, claimed);
  let closed: Promise<void> = Promise.resolve();
  const sharing = ground.shareWhileAtWork(claimed);
  const end = await runAgent(agent, spec, {
    env,
    limits: config.limits,
    stop: input.stop.now,
    enclosure: input.sandbox.enclose(inside),
    sessions: input.sessions,
    queue,
    stateDir,
    reminder: {
      isReported: async () => (await showSession(queue, session_id)).signals.some(isClosing),
      text: VERB_REMINDER,
    },
    isTask: true,
    onObservation: observer.observe,
    onEnding: () => {
      // If this write fails, the finish closes the session.
      closed = observer
        .recorded()
        .then(() => stopListening(queue, session_id, queue.now()))
        .catch(() => {});
    },
    // While the agent works: people wait for the time between two sessions.
    onStart: () => {
      writes.recordGiven(session_id, spec);
      ground.beginBackground();
      openStarterBesideAgent();
    },
  }).finally(sharing.stop);
  await closed;
  await restoreState(input, claimed, spec, replacements);
  const [reported] = await Promise.all([observer.recorded(), writes.givenRecorded()]);
  // A client that does not report its model used the model that it was started with.
  const used = findKnownAgent(chosen.agent) === null ? null : model;
  const usage = { ...end.usage, model: end.usage.model ?? used };
  return { ...end, ...reported, usage, agent: chosen.agent };
}
