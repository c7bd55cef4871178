// `ralph run`: the supervisor of this project, with a view for the person.

import { requirePersonOrProgram } from '../../app/definitions/consent.ts';
import { requireNothingHeldBeside, whileAgentsWork } from '../../app/definitions/definitions.ts';
import { readTrust, requireTrusted, stateHome } from '../../app/definitions/trust.ts';
import { openMirror } from '../../app/mirror.ts';
import {
  type Project,
  refreshSummary,
  sync,
  syncDefinitions,
  withWorkerQueue,
} from '../../app/open-project.ts';
import { requireAgent } from '../../app/sessions/agent-session.ts';
import { withIncludedSecrets } from '../../app/sessions/included-secrets.ts';
import { writePrompt } from '../../app/sessions/prompt.ts';
import { openProjectSandbox } from '../../app/sessions/sandbox.ts';
import { openSessionServer } from '../../app/sessions/session-server.ts';
import { slotsFolder } from '../../app/sessions/slots.ts';
import type { CommandContext, Output } from '../../app/world.ts';
import type { Config } from '../../domain/config.ts';
import { isPersonsDefinition } from '../../domain/definition.ts';
import { Refusal } from '../../domain/refusal.ts';
import { refusedText } from '../../domain/sandbox/hosts.ts';
import { PAUSE_SECONDS } from '../../domain/sessions/session.ts';
import { didYouMean } from '../../domain/text/did-you-mean.ts';
import type { AcceptedFiles } from '../../files/accepted-files.ts';
import { acceptedFiles, findHeld } from '../../host/definitions/accepted.ts';
import { GateStopped } from '../../host/gates/gates.ts';
import { openGitStarter } from '../../host/git/git-process.ts';
import { watchOver } from '../../host/processes/watcher.ts';
import { takeTrustNotice } from '../../host/trust.ts';
import { CONFIG_FILE, readConfig } from '../../project/read-config.ts';
import { patientQueue } from '../../queue/queue.ts';
import type { SupervisorInput } from '../../supervisor/input.ts';
import { runLoop } from '../../supervisor/loop.ts';
import { openNotifier } from '../../supervisor/notifier.ts';
import { openPatience } from '../../supervisor/patience.ts';
import { abandonRun, closeRun, endWork, openRun, type Run } from '../../supervisor/run.ts';
import { STOPPED, type Stop } from '../../supervisor/stop.ts';
import { watchStopRequests } from '../../supervisor/stop-requests.ts';
import { Misuse } from '../command.ts';
import { type RunView, runView } from './run-view.ts';

export type RunOptions = {
  once?: boolean;
  maxSessions?: number;
  budget?: number;
  wait?: number | true;
  agent?: string;
  model?: string;
  fixBaseline?: boolean;
  acceptRed?: string[];
  jobs?: number;
  inPlace?: boolean;
  labels?: string[];
  /** Waits for work as well. */
  isEndless?: boolean;
};

export async function runQueue(callerContext: CommandContext, options: RunOptions): Promise<Output> {
  const { once = false, maxSessions, budget, wait, agent, model } = options;
  const { fixBaseline = false, acceptRed = [], jobs, inPlace, labels, isEndless = false } = options;
  if (inPlace && jobs !== undefined && jobs > 1)
    throw new Misuse(`${ONE_CHECKOUT}; leave out --in-place or --jobs.`);
  const context = await withIncludedSecrets(callerContext);
  return withWorkerQueue(context, async (opened) => {
    await requirePersonOrProgram(context, opened, 'starts a run');
    await syncDefinitions(opened);
    await requireTrusted(context, opened);
    await requireNothingHeldBeside(opened);
    const config = await readConfig(opened.root);
    requireAgent(agent, config);
    requireGates(acceptRed, config.gates);
    if (config.in_place && jobs !== undefined && jobs > 1)
      throw new Refusal(`${ONE_CHECKOUT}; leave out --jobs, or remove in_place from ${CONFIG_FILE}.`);
    const chosen = {
      ...config,
      agent: agent ?? config.agent,
      jobs: jobs ?? config.jobs,
      labels: labels ?? config.labels,
      in_place: inPlace ?? config.in_place,
    };
    // With --model no request for a model counts, so no prompt offers one.
    const prompting = { ...chosen, ladder: model === undefined ? chosen.ladder : [] };
    const ralph = [context.program.node, context.program.script];
    const stop = watchStopRequests(opened.queue, context.pipes.interrupts());
    const patience = openPatience(stop);
    const project = { ...opened, queue: patientQueue(opened.queue, patience.goOn) };
    const budget_usd = budget ?? config.limits.run_budget_usd;
    const limits = { max_attempts: config.max_attempts, budget_usd, jobs: chosen.in_place ? 1 : chosen.jobs };
    const view = runView({ context, project, command: isEndless ? 'worker' : 'run', limits, stop });
    const tell = (reason: string): void => view.tell({ kind: 'refused', reason });
    const mirror = openMirror(project, tell, config.mirror);
    const tellDefinitions = definitionsTeller(project, view);
    const { sandbox, notice, agentsCanWriteHere } = await openProjectSandbox(context, project, chosen);
    const sessions = await openSessionServer(context, opened, tell);
    const input: SupervisorInput = {
      ...project,
      sandbox,
      sessions,
      version: context.version,
      slotsFolder: slotsFolder(context.env, project, config.slots),
      slotsFolderOf: (root) => slotsFolder(context.env, { root }, config.slots),
      env: context.env,
      config: chosen,
      trust: (folder) => readTrust(context, project, config, folder),
      ralph,
      limits: {
        sessions: once ? 1 : (maxSessions ?? Number.POSITIVE_INFINITY),
        budget_usd,
        agent: agent ?? null,
        model: model ?? null,
      },
      wait: {
        enabled: wait !== undefined,
        isEndless,
        pauseMs: 1_000 * (typeof wait === 'number' ? wait : PAUSE_SECONDS),
      },
      baseline: { fix: fixBaseline, accepted: acceptRed },
      stop,
      patience,
      writePrompt: (recipe, input) => writePrompt(context, project, recipe, input, prompting),
      sync: async () => {
        await sync({ ...project, mirror });
        await tellDefinitions();
      },
      settled: async () => {
        await refreshSummary(project);
        return (await mirror.setEditsAside()).isWritten;
      },
      tell: view.tell,
    };
    try {
      // First: a second run must not touch what the first holds.
      const run = await openRun(input).catch(nullIfStopped);
      if (run === null) return stopOutput(STOPPED, STOPPED.sentence);
      stop.listen(run.id, run.lease.over);
      const work = async (): Promise<Stop> => {
        if (notice !== null) view.tell({ kind: 'sandbox', text: notice });
        await tellTrust(context, project, view);
        const end = await runLoop(run).catch(stopIfGateStopped);
        const refused = refusedText(sandbox.refused);
        if (refused !== null) view.tell({ kind: 'sandbox', text: refused });
        return end;
      };
      const notifier = await openNotifier({ ...input, onProblem: tell });
      try {
        const hold: Hold = (held) => whileAgentsWork(project, { agentsCanWriteHere, tell }, held);
        return await supervise(run, work, { ralph, view, stop, hold, asJson: context.asJson });
      } finally {
        // After the run has ended, because its end is told as well.
        await notifier.end();
      }
    } finally {
      patience.end();
      await sessions.close();
    }
  });
}

/** Holds the files below `.ralph`, as long as agents or gates may write there. */
type Hold = (held: () => Promise<Stop>) => Promise<Stop>;

type Supervision = {
  ralph: readonly string[];
  view: RunView;
  stop: { close(): void };
  hold: Hold;
  asJson: boolean;
};

async function supervise(
  run: Run,
  work: () => Promise<Stop>,
  { ralph, view, stop, hold, asJson }: Supervision,
): Promise<Output> {
  const [watching, starter] = [watchOver(ralph), openGitStarter(ralph)];
  try {
    const ended = await hold(async () => {
      const end = await withView(view, work).finally(stop.close);
      await endWork(run);
      return end;
    })
      .catch(abandonRun(run))
      .finally(stop.close);
    // Last: the next run may begin when this one has ended, and holds the same files.
    await closeRun(run, ended);
    return stopOutput(ended, asJson ? '' : await view.summary(ended));
  } finally {
    await Promise.all([run.artifacts.stop(), run.lease.stop(), watching.close(), starter.close()]);
  }
}

/**
 * Tells of files that changed while agents were at work, and not again while they are the same ones. Tells also of what was approved
 * meanwhile: without a sandbox an agent can write the record as well.
 */
function definitionsTeller(project: Project, view: RunView): () => Promise<void> {
  let lastReported = '';
  let lastAccepted: AcceptedFiles = null;
  return async () => {
    const heldFiles = (await findHeld(project)).map(({ path }) => path);
    if (heldFiles.length > 0 && heldFiles.join('\n') !== lastReported)
      view.tell({ kind: 'definitions_held', files: heldFiles });
    lastReported = heldFiles.join('\n');
    const accepted = await acceptedFiles(project);
    const files = changedPaths(lastAccepted, accepted).filter(isPersonsDefinition);
    if (files.length > 0) view.tell({ kind: 'definitions_accepted', files });
    lastAccepted = accepted;
  };
}

/** None if there was no record before, or is none now. */
function changedPaths(before: AcceptedFiles, after: AcceptedFiles): string[] {
  if (before === null || after === null) return [];
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths].filter((path) => {
    const [then, now] = [before.get(path), after.get(path)];
    return then === undefined || now === undefined ? then !== now : !then.equals(now);
  });
}

/** Trust that was given beside an earlier run counts from this one on, so the person sees here what they allowed. */
async function tellTrust(context: CommandContext, { root }: Project, view: RunView): Promise<void> {
  const notice = await takeTrustNotice(stateHome(context.env), root);
  if (notice !== null) view.tell({ kind: 'trusted_meanwhile', ...notice });
}

const ONE_CHECKOUT = 'Several sessions cannot work in one checkout at the same time';

function requireGates(names: readonly string[], gates: Config['gates']): void {
  const configured = gates.map(({ name }) => name);
  const unknown = names.find((name) => !configured.includes(name));
  if (unknown !== undefined)
    throw new Refusal(
      `There is no gate "${unknown}"${didYouMean(unknown, configured) || (configured.length === 0 ? '; none is configured.' : `; known: ${configured.join(', ')}.`)}`,
    );
}

/** A Ctrl-C during the gates: the next run runs them again from the start. */
function stopIfGateStopped(error: unknown): Stop {
  if (error instanceof GateStopped) return STOPPED;
  throw error;
}

/** A person stopped the run while it waited for its remote, before anything began. */
function nullIfStopped(error: unknown): null {
  if (error instanceof GateStopped) return null;
  throw error;
}

export const stopOutput = ({ exit_code: exitCode, ...stopped }: Stop, text: string): Output => ({
  json: { kind: 'stopped', ...stopped },
  text,
  exitCode,
  isLine: true,
});

/** Restores the screen before anything else is printed, also after an error. */
async function withView<T>(view: RunView, work: () => Promise<T>): Promise<T> {
  try {
    await view.begin();
    return await work();
  } finally {
    view.close();
  }
}
