// A planning session: the agent reads files and works on a copy of the queue. The differences of the copy are its proposal.
import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join, posix } from 'node:path';
import type { GatherInput } from '../context/gather.ts';
import type { RecipeName } from '../domain/context.ts';
import { isEmpty, type Proposal } from '../domain/planning/proposal.ts';
import type { ProcessIdentity, SessionEnd } from '../domain/sessions/session.ts';
import { readRecord } from '../files/read-text.ts';
import { writeFileWhole } from '../files/write-file.ts';
import { changesBetween } from '../host/git/tree-changes.ts';
import { takeTree } from '../host/git/work-tree.ts';
import { identify, isAlive, liveness } from '../host/processes/process-identity.ts';
import { killCarriers } from '../host/processes/reap.ts';
import { insideCheckout, sessionHome } from '../host/sandbox/inside.ts';
import { copyPath, isKeptFile, planningDir, TRANSIENT } from '../host/session-folder.ts';
import { recordPlanning } from '../queue/planning/planning.ts';
import { readProposal } from '../queue/planning/read-proposal.ts';
import { closeQueue, lastChangeId, openQueue, type Queue } from '../queue/queue.ts';
import { beatEvery } from '../queue/sessions/heartbeat.ts';
import { runningRun } from '../queue/sessions/runs.ts';
import type { Agent, Observation } from './agents/agent.ts';
import { buildLaunchSpec, READING_TOOLS } from './agents/launch-spec.ts';
import { runAgent } from './agents/run-agent.ts';
import { type AgentEnd, judgeFailure, toSessionEnd } from './agents/session-end.ts';
import type { SupervisorInput } from './input.ts';

export type PlanningInput = Pick<
  SupervisorInput,
  | 'queue'
  | 'root'
  | 'stateDir'
  | 'slotsFolder'
  | 'env'
  | 'config'
  | 'sandbox'
  | 'ralph'
  | 'sessions'
  | 'stop'
  | 'writePrompt'
>;

type PlanningRecipe = Extract<RecipeName, 'plan' | 'braindump' | 'enrichment'>;

export type PlanningSubject = {
  recipe: PlanningRecipe;
  about: GatherInput;
  /** Null for the agent's default. */
  model: string | null;
  budget_usd: number;
  onObservation: (observation: Observation) => void;
};

export type PlanningResult = {
  session_id: string;
  proposal: Proposal;
  end: AgentEnd;
  ended: SessionEnd;
  /** Whether the session left the work tree unchanged. True beside a run: Ralph cannot tell which of the two changed it. */
  isUntouched: boolean;
};

/** The process that runs a planning session, so that a later Ralph can tell whether it is dead. */
const OWNER = 'owner.json';

export async function holdPlanning(
  input: PlanningInput,
  agent: Agent,
  subject: PlanningSubject,
): Promise<PlanningResult> {
  const { queue, stateDir } = input;
  await cleanUpPlanning(stateDir);
  const session_id = crypto.randomUUID();
  const folder = planningDir(stateDir, session_id);
  const writeOwner = (): Promise<void> => {
    const owner = { ...identify(process.pid), heartbeat: queue.now() };
    return writeFileWhole(join(folder, OWNER), JSON.stringify(owner), TRANSIENT);
  };
  await writeOwner();
  const heartbeat = beatEvery(writeOwner);
  const path = copyPath(stateDir, session_id);
  try {
    await queue.store.copyTo(path);
    const base = await withCopy(path, queue, lastChangeId);
    const before = await lookAtTree(input);
    const { end: launched, model } = await withCopy(path, queue, (copy) =>
      launch(input, agent, subject, { session_id, folder, copy }),
    );
    const after = await lookAtTree(input);
    const proposal = await withCopy(path, queue, (copy) => readProposal(queue, copy, base));
    const end = await judgeFailure(launched, async () => !isEmpty(proposal));
    const ended = toSessionEnd(end, { changed_files: false, isStopped: input.stop.now.aborted });
    const { features, added, changed } = proposal;
    await recordPlanning(queue, {
      session_id,
      recipe: subject.recipe,
      // People read it: an agent that was told no model chose its own.
      model: model ?? 'default',
      end: ended,
      usage: end.usage,
      proposed: { features: features.length, added: added.length, changed: changed.length },
    });
    return { session_id, proposal, end, ended, isUntouched: await isSame(input, before, after) };
  } finally {
    // A later beat would write the file again after it was removed.
    await heartbeat.stop();
    await removeCopy(folder);
  }
}

async function launch(
  input: PlanningInput,
  agent: Agent,
  { recipe, about, model, budget_usd, onObservation }: PlanningSubject,
  { session_id, folder, copy }: { session_id: string; folder: string; copy: Queue },
): Promise<{ end: AgentEnd; model: string | null }> {
  const { config, env, stop, sessions, stateDir } = input;
  const spec = await buildLaunchSpec(input, {
    session_id,
    client_id: session_id,
    about,
    recipe,
    folder,
    model,
    effort: config.effort,
    max_turns: config.limits.max_turns,
    budget_usd,
    tools: READING_TOOLS,
    env: {},
    others: [],
  });
  const home = sessionHome(input.slotsFolder, session_id);
  const end = await runAgent(agent, spec, {
    env,
    limits: config.limits,
    stop: stop.now,
    enclosure: input.sandbox.enclose(insideCheckout(input, 'agent', { home, access: 'read' })),
    sessions,
    queue: copy,
    stateDir,
    // Its result is what it proposed.
    reminder: null,
    onObservation,
  });
  return { end, model: end.usage.model ?? model };
}

async function withCopy<T>(
  path: string,
  { now, mask }: Queue,
  work: (copy: Queue) => Promise<T>,
): Promise<T> {
  const copy = await openQueue(path, now, null, { mask });
  try {
    return await work(copy);
  } finally {
    await closeQueue(copy);
  }
}

type TreeState = { tree: string | null; isAlone: boolean };

async function lookAtTree({ queue, root, env, stateDir }: PlanningInput): Promise<TreeState> {
  const isAlone = (await runningRun(queue, liveness)) === null;
  return { tree: isAlone ? ((await takeTree({ root, env, stateDir }))?.tree ?? null) : null, isAlone };
}

/** Ignores the mirror: Ralph writes it whenever the queue changes. */
async function isSame(
  { root, env, config }: PlanningInput,
  before: TreeState,
  after: TreeState,
): Promise<boolean> {
  if (!before.isAlone || !after.isAlone || before.tree === after.tree) return true;
  if (before.tree === null || after.tree === null || config.mirror === null) return false;
  const mirror = `/${posix.normalize(config.mirror)}`;
  const changes = await changesBetween({ root, env }, before.tree, after.tree);
  return changes.every(({ path }) => `/${path}`.endsWith(mirror));
}

/** Keeps the prompt and the stream; removes the copy of the queue and files that may contain secrets. */
async function removeCopy(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => []))
    if (!isKeptFile(name)) await rm(join(folder, name), { force: true });
}

/** Ends what is left of planning sessions whose Ralph was killed, and removes their copies and secrets. */
export async function cleanUpPlanning(stateDir: string): Promise<void> {
  for (const session_id of await readdir(join(stateDir, 'planning')).catch(() => [])) {
    const folder = planningDir(stateDir, session_id);
    const owner = await readRecord<ProcessIdentity>(join(folder, OWNER));
    // A record that cannot be read belongs to a dead process: a living one rewrites it every few seconds.
    const isHeld = owner === null ? !existsSync(join(folder, OWNER)) : isAlive(owner);
    if (isHeld) continue;
    await killCarriers(`RALPH_SESSION_ID=${session_id}`);
    await removeCopy(folder);
  }
}
