// Judges the work of a session in the checkout: what can refuse it before a command of the project runs, then hooks and gates.
import type { Config } from '../../domain/config.ts';
import { MachineFailed, NeedsPerson } from '../../domain/refusal.ts';
import type { GateResult, KnownGate } from '../../domain/sessions/gate.ts';
import { type Closing, doneSummary } from '../../domain/sessions/signal.ts';
import { taskMessage } from '../commits/messages.ts';
import { requireNoLinks, requireUnfiltered } from '../commits/require-committable.ts';
import { requireNoSecrets, type SecretRules } from '../commits/scan-secrets.ts';
import { readSigning } from '../commits/signing.ts';
import { unlessAccepted } from '../gates/baseline-gates.ts';
import { runGates } from '../gates/gates.ts';
import { findHooks, type Hooks } from '../gates/hooks.ts';
import { runCommitMsg } from '../gates/run-hooks.ts';
import { type GateListeners, watchGates } from '../gates/watch-gates.ts';
import { treeOfCommit } from '../git/git.ts';
import { changesBetween } from '../git/tree-changes.ts';
import { findMarkers } from '../landing/candidate.ts';
import { runCommitHooks } from '../landing/commit-hooks.ts';
import { gateLogs, isRed, markerVariable } from '../landing/slot-gates.ts';
import { type ClaimedTask, gatesMarker } from '../landing/verifier.ts';
import { saveSessionWork, type WorkCommit } from '../landing/work-refs.ts';
import { allEnded } from '../processes/all-ended.ts';
import type { Environment } from '../processes/spawn.ts';
import type { Enclosure } from '../sandbox/sandbox.ts';
import { sessionDir } from '../session-folder.ts';
import { type Checkout, requireTree } from './checkout.ts';
import type { JudgedWork } from './commit-work.ts';
import { readSessionRecord, requireSameBranch, type SessionRecord } from './session-record.ts';

export type JudgeInput = GateListeners & {
  checkout: Checkout;
  /** Read and trusted before the first session. */
  config: Pick<Config, 'gates' | 'commit' | 'commit_hooks' | 'commit_message' | 'progress_file' | 'env'>;
  knownGates(tree_hash: string): Promise<readonly KnownGate[]>;
  secrets: SecretRules;
  /** Fires when a person wants everything ended now. */
  stop?: AbortSignal | undefined;
  /** Of gates and hooks; without it they run as they are. */
  enclosure?: Enclosure | null;
  /** Gates that a person lets stay red. */
  accepted: readonly string[];
  /** Done tasks whose work is in no commit yet. */
  uncommittedTasks(): Promise<readonly number[]>;
};

/** `judged`: null if it cannot be committed. */
type Judgement = { results: GateResult[]; judged: JudgedWork | null };

export async function judgeInPlace(
  input: JudgeInput,
  claimed: ClaimedTask,
  done: Closing,
  taken: WorkCommit,
): Promise<Judgement> {
  const { place } = input.checkout;
  const [prepared, markers] = await allEnded([
    prepare(input, claimed, done, taken),
    findMarkers(place, { tip: taken.base, tree: taken.tree }),
  ]);
  if (markers !== null) return { results: [markers], judged: null };
  const { results, judged } = await runHooks(input, claimed, prepared);
  if (isRed(results)) return { results, judged: null };
  const gates = await runGatesInPlace(input, claimed, judged);
  return { results: [...results, ...gates], judged };
}

async function prepare(
  input: JudgeInput,
  { session, task }: ClaimedTask,
  done: Closing,
  work: WorkCommit,
): Promise<JudgedWork> {
  const { config, uncommittedTasks } = input;
  const { place } = input.checkout;
  const { base, tree } = work;
  const record = await requireRecord({ place }, session.id);
  const head = await requireSameBranch(place, task.id, record);
  await requireLandable(input, task.id, work);
  const others = config.commit === 'feature' ? await uncommittedTasks() : [];
  const message = taskMessage({
    session_id: session.id,
    task,
    summary: doneSummary(done) ?? '',
    template: config.commit_message,
    others,
  });
  // A task without a feature has nothing to wait for.
  const hasCommit = config.commit === 'task' || (config.commit === 'feature' && task.feature === null);
  // Read it before any command of the project runs, which could change it.
  const signing = makesCommits(config) ? await readSigning(place) : null;
  return { base, tree, head, record, others, message: hasCommit ? message : null, signing };
}

/** What no gate looks at. */
export async function requireLandable(
  { checkout: { place }, secrets }: Pick<JudgeInput, 'checkout' | 'secrets'>,
  task_id: number,
  { base, tree }: Pick<WorkCommit, 'base' | 'tree'>,
): Promise<void> {
  const changes = await changesBetween(place, await treeOfCommit(place, base), tree);
  requireNoLinks(task_id, changes);
  await allEnded([requireUnfiltered(place, changes), requireNoSecrets(place, task_id, changes, secrets)]);
}

export async function requireRecord(
  { place }: Pick<Checkout, 'place'>,
  session_id: string,
): Promise<SessionRecord> {
  const record = await readSessionRecord(place, session_id);
  if (record !== null) return record;
  throw new MachineFailed(
    `Ralph has lost its record of session ${session_id.slice(0, 8)}, so it does not know where the work began.`,
  );
}

/** Whether Ralph itself commits. */
export const makesCommits = ({ commit }: Pick<Config, 'commit'>): boolean =>
  commit === 'task' || commit === 'feature';

const hooksFor = async ({ checkout, config }: JudgeInput): Promise<Hooks | null> =>
  config.commit_hooks === 'run' && makesCommits(config) ? findHooks(checkout.place) : null;

const gateEnvironment = ({ checkout }: JudgeInput, session_id: string): Environment => ({
  ...checkout.place.env,
  ...markerVariable(gatesMarker(session_id)),
});

async function runHooks(
  input: JudgeInput,
  { session, task }: ClaimedTask,
  work: JudgedWork,
): Promise<{ results: GateResult[]; judged: JudgedWork }> {
  const { place } = input.checkout;
  const { base, tree, message } = work;
  const subject = { session_id: session.id, task_id: task.id, base };
  const { results, ...hooked } = await runCommitHooks(
    {
      repository: place,
      place,
      env: gateEnvironment(input, session.id),
      enclosure: input.enclosure,
      take: async (before) => (await requireTree(place, before)).tree,
      fill: async () => {},
      hold: async (next) => (await saveSessionWork(place, { ...subject, tree: next })).commit,
    },
    {
      ...input,
      hooks: await hooksFor(input),
      names: input.config.env,
      folder: sessionDir(place.stateDir, session.id),
      candidate: { tip: base, tree },
      message,
    },
  );
  return { results, judged: { ...work, ...hooked } };
}

/** `work`: null without git. */
export async function runGatesInPlace(
  input: JudgeInput,
  { session }: ClaimedTask,
  work: Pick<JudgedWork, 'tree' | 'base'> | null,
): Promise<GateResult[]> {
  const { checkout, config, knownGates, accepted, stop } = input;
  const { place } = checkout;
  const tree_hash = work?.tree ?? null;
  const resultsBefore = work === null ? [] : await knownGates(await treeOfCommit(place, work.base));
  const knownResults = tree_hash === null ? [] : await knownGates(tree_hash);
  const results = await runGates(config.gates, {
    root: place.root,
    env: gateEnvironment(input, session.id),
    tree_hash,
    stop,
    enclosure: input.enclosure,
    sessionResults: knownResults.filter(({ session_id, baseline }) => session_id === session.id && !baseline),
    resultsBefore,
    logFolder: gateLogs(sessionDir(place.stateDir, session.id)),
    ...watchGates(place, config.gates, tree_hash, input),
  });
  return results.map(unlessAccepted(accepted, resultsBefore));
}

/** A hook that refuses the message of a whole feature refutes none of its tasks, so Ralph asks the person. */
export async function checkMessage(input: JudgeInput, session_id: string, message: string): Promise<string> {
  const { place } = input.checkout;
  const hooks = await hooksFor(input);
  if (hooks === null) return message;
  const logFile = (name: string): string =>
    `${gateLogs(sessionDir(place.stateDir, session_id))}/hook-${name}.log`;
  const env = gateEnvironment(input, session_id);
  const { config, stop, enclosure } = input;
  const run = { place, hooks, names: config.env, env, tree_hash: null, stop, enclosure, logFile };
  const checked = await runCommitMsg(run, message);
  if (checked.result?.passed !== false) return checked.message;
  throw new NeedsPerson(
    `The hook commit-msg refused the commit of the feature: ${checked.result.tail} Change commit.message or the hook, then answer this question to try the task again.`,
  );
}
