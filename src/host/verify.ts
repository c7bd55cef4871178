// Verifies a "done" before it gets a receipt: gates that pass, and a commit with the work.
import { join } from 'node:path';
import type { Config } from '../domain/config.ts';
import { NeedsPerson } from '../domain/refusal.ts';
import {
  failedRequired,
  type GateResult,
  type KnownGate,
  NO_WORK,
  type Work,
} from '../domain/sessions/gate.ts';
import type { Session } from '../domain/sessions/session.ts';
import { type Closing, doneSummary } from '../domain/sessions/signal.ts';
import type { FeatureWork } from '../domain/tasks/feature.ts';
import { findAgentCommit, requireNoPersonsChanges } from './commits/agent-commits.ts';
import { closeBase, commitFeature, commitFinished } from './commits/feature-commit.ts';
import type { SecretRules } from './commits/scan-secrets.ts';
import { readSigning, type Signing } from './commits/signing.ts';
import { commitSession, type Proven, taskMessage } from './commits/task-commit.ts';
import { runEach, UNCLAIMED, unlessAccepted } from './gates/baseline-gates.ts';
import { findResult, runGates } from './gates/gates.ts';
import { findHooks, type Hooks } from './gates/hooks.ts';
import { type HookVerdict, proveHooks, runCommitMsg } from './gates/run-hooks.ts';
import { type GateListeners, watchGates } from './gates/watch-gates.ts';
import { holdingOffGc } from './git/hold-off-gc.ts';
import type { Place } from './git/own-git.ts';
import { holdTree, provenRef } from './git/refs.ts';
import { type TakenTree, takeTree } from './git/work-tree.ts';
import type { Marker } from './processes/reap.ts';
import type { Enclosure } from './sandbox/sandbox.ts';
import { sessionDir } from './session-folder.ts';
import { requireOwnBranch } from './work/branch.ts';
import { isUnchangedSince } from './work/changed-work.ts';
import { withOthersChanges } from './work/persons-changes.ts';
import { requireRecord } from './work/require-record.ts';
import { readBase, requireCommittable, writeBase } from './work/session-base.ts';
import { resetBase } from './work/unfinished-work.ts';

export type ClaimedTask = {
  session: Pick<Session, 'id' | 'base_commit'>;
  task: { id: number; title: string; feature: string | null; tags?: readonly string[] };
};

export type Baseline = { ran: readonly GateResult[]; all: readonly GateResult[] };

const NO_BASELINE: Baseline = { ran: [], all: [] };

export type Verifier<Live extends ClaimedTask> = {
  /** The gate results before the work begins. Runs only gates without a known result. */
  runBaseline(claimed: ClaimedTask): Promise<Baseline>;
  /** Takes the tree that the gates then judge. */
  isUnchanged(claimed: ClaimedTask): Promise<boolean>;
  /** Runs the repository's hooks first, if the configuration wants that. */
  runGates(claimed: ClaimedTask, done: Closing): Promise<GateResult[]>;
  /** Commits the tree that the gates saw. */
  commit(live: Live, done: Closing, gates: readonly GateResult[]): Promise<Work>;
  /** For a feature that was finished without such a commit. */
  commitFinished(feature: FeatureWork): Promise<Work>;
};

export type VerifierInput<Live extends ClaimedTask> = GateListeners & {
  place: Place;
  /** Read before the first gate runs; throws if no person has trusted them. */
  rules(): Promise<CommitRules>;
  /** Earlier gate results for a tree. */
  knownGates(tree_hash: string): Promise<readonly KnownGate[]>;
  /** The work of the task's whole feature; null while the feature is not complete. */
  featureWork(live: Live): Promise<FeatureWork | null>;
  secrets: SecretRules;
  /** Fires when a person wants everything ended now. */
  stop?: AbortSignal;
  /** Of gates and hooks; without it they run as they are. */
  enclosure?: Enclosure | null;
  /** Gates that a person lets stay red. */
  accepted?: readonly string[];
  onTaken?(tree: TakenTree): void;
  /** A commit that should have been signed was not. */
  onUnsigned?(reason: string): void;
};

type CommitRules = Pick<
  Config,
  'gates' | 'commit' | 'commit_hooks' | 'commit_message' | 'progress_file' | 'env'
>;

const GATE_OF = 'RALPH_GATE_OF';

/** Every gate of a session and its children carry it in their environment: they go on when Ralph is killed. */
export const gatesMarker = (session_id: string): Marker => `${GATE_OF}=${session_id}`;

export function createVerifier<Live extends ClaimedTask>(input: VerifierInput<Live>): Verifier<Live> {
  const { place, rules, knownGates } = input;
  const { root, env, stateDir } = place;
  const proven = new Map<string, Proven & { signing: Signing | null; message: string | null }>();
  /** `isUnchanged` takes the tree that `runGates` then judges: nothing runs between the two. */
  const toJudge = new Map<string, TakenTree & Proven>();
  const take = async (claimed: ClaimedTask): Promise<(TakenTree & Proven) | null> => {
    await requireRecord(place, claimed.session.id);
    return takeProven(place, claimed, input.onTaken);
  };
  const gatesKnownFor = async (tree: string | null) => (tree === null ? [] : knownGates(tree));
  const gateRun = async (session: string, tree_hash: string | null, base_tree: string | null) => {
    const knownNow = await gatesKnownFor(tree_hash);
    const run = {
      root,
      env: { ...env, [GATE_OF]: session },
      tree_hash,
      stop: input.stop,
      enclosure: input.enclosure,
      sessionResults: knownNow.filter(({ session_id, baseline }) => session_id === session && !baseline),
      resultsBefore: await gatesKnownFor(base_tree),
    };
    return { known: knownNow, run, folder: sessionDir(stateDir, session) };
  };
  /** A hook that refuses the message of a whole feature refutes none of its tasks, so Ralph asks the person. */
  const messageCheck = async (session_id: string, config: CommitRules) => {
    const hooks = await hooksFor(place, config);
    const { run, folder } = await gateRun(session_id, null, null);
    return async (message: string): Promise<string> => {
      if (hooks === null) return message;
      const logFile = (name: string) => join(folder, 'gates', `hook-${name}.log`);
      const checked = await runCommitMsg({ ...run, place, hooks, names: config.env, logFile }, message);
      if (checked.result?.passed !== false) return checked.message;
      throw new NeedsPerson(
        `The hook commit-msg refused the commit of the feature: ${checked.result.tail} Change commit.message or the hook, then answer this question to try the task again.`,
      );
    };
  };
  return {
    isUnchanged: async (claimed) => {
      const taken = await take(claimed);
      if (taken === null) return false;
      toJudge.set(claimed.session.id, taken);
      return isUnchangedSince(place, claimed.session.id, taken);
    },
    runBaseline: async (claimed) => {
      const { gates } = await rules();
      if (gates.length === 0) return NO_BASELINE;
      const base = await readBase(place, claimed.session.id);
      // Once the tree holds work of the task, it tells nothing about the state before.
      if (base === null || base.left !== base.tree) return NO_BASELINE;
      const { tree } = base;
      const { known, run, folder } = await gateRun(claimed.session.id, tree, tree);
      const unknown = gates.filter((gate) => findResult(gate, known) === undefined);
      const logFolder = join(folder, 'gates-before');
      const ran = await runEach(unknown, {
        ...run,
        logFolder,
        ...watchGates(place, gates, tree, input),
      });
      const knownBefore = gates.flatMap((gate) => findResult(gate, known) ?? []);
      const unsaved = known.flatMap(({ session_id, baseline: _, ...result }) =>
        session_id === UNCLAIMED ? [result] : [],
      );
      // Files that the gates left in the tree are no task's work.
      if (unknown.length > 0) await resetBase(place, claimed.session.id, claimed.task.id);
      return { ran: [...unsaved, ...ran], all: [...knownBefore, ...ran] };
    },
    runGates: async (claimed, done) => {
      const { session, task } = claimed;
      const config = await rules();
      // Read it before any command of the project runs, which could change it.
      const signing = isRalphs(config) ? await readSigning(place) : null;
      const first = toJudge.get(session.id) ?? (await take(claimed));
      toJudge.delete(session.id);
      if (first === null) proven.delete(session.id);
      const base_tree = (await readBase(place, session.id))?.tree ?? null;
      const { run, folder } = await gateRun(session.id, first?.tree ?? null, base_tree);
      const hooks = first === null ? null : await hooksFor(place, config);
      const message = messageFor(config, claimed, done);
      let hooked: HookVerdict | null = null;
      if (first !== null && hooks !== null) {
        const subject = { session_id: session.id, task_id: task.id };
        const logFile = (name: string) => join(folder, 'gates', `hook-${name}.log`);
        const hookRun = { ...run, place, hooks, names: config.env, logFile, onGate: input.onGate };
        hooked = await proveHooks(hookRun, subject, first, message, (files) =>
          input.onGateChanges?.({ gate: 'hook pre-commit', files }),
        );
        // A hook may have changed files: the tree that was reported before lacks them.
        input.onTaken?.({ ...first, tree: hooked.judged.tree });
      }
      const judged = hooked?.judged ?? first;
      if (judged !== null)
        proven.set(session.id, {
          tree: judged.tree,
          head: judged.head,
          signing,
          message: hooked?.message ?? message,
        });
      const hookResults = hooked?.results ?? [];
      if (config.gates.length === 0 || failedRequired(hookResults).length > 0) return hookResults;
      const tree_hash = judged?.tree ?? null;
      const logFolder = join(folder, 'gates');
      const results = await runGates(config.gates, {
        ...run,
        ...watchGates(place, config.gates, tree_hash, input),
        tree_hash,
        logFolder,
      });
      return [...hookResults, ...results.map(unlessAccepted(input.accepted ?? [], run.resultsBefore))];
    },
    commit: async (live) => {
      const { session, task } = live;
      const judged = proven.get(session.id);
      if (judged === undefined) return NO_WORK;
      const config = await rules();
      const { commit: policy } = config;
      const uncommitted: Work = { ...NO_WORK, tree_hash: judged.tree };
      if (policy === 'never') return uncommitted;
      if (policy === 'agent') {
        const commit = await findAgentCommit(place, live, judged, input.secrets);
        return { ...uncommitted, commit };
      }
      const { id: session_id, base_commit } = session;
      await requireOwnBranch(place, { session_id, task_id: task.id });
      await requireNoPersonsChanges(place, { session_id, task_id: task.id });
      const { secrets, onUnsigned = () => {} } = input;
      const { signing, message } = judged;
      const common = { task_id: task.id, proven: judged, secrets, signing, onUnsigned };
      if (message === null) {
        const feature = await input.featureWork(live);
        if (feature === null) {
          await closeBase(place, { session_id, task_id: task.id }, judged);
          return uncommitted;
        }
        return commitFeature(place, feature, {
          ...common,
          current: judged.tree,
          template: config.commit_message,
          progress_file: config.progress_file,
          checkMessage: await messageCheck(session_id, config),
        });
      }
      return commitSession(place, { ...common, session_id, base_commit, message });
    },
    commitFinished: async (feature) => {
      const config = await rules();
      const { commit: policy, commit_message: template, progress_file } = config;
      const { secrets, onUnsigned = () => {} } = input;
      const checkMessage = await messageCheck(feature.last.id, config);
      if (policy === 'never') return NO_WORK;
      return commitFinished(place, feature, { secrets, onUnsigned, template, progress_file, checkMessage });
    },
  };
}

/** Whether Ralph makes the commits. */
const isRalphs = ({ commit }: Pick<Config, 'commit'>): boolean => commit === 'task' || commit === 'feature';

const hooksFor = async (place: Place, config: CommitRules): Promise<Hooks | null> =>
  config.commit_hooks === 'run' && isRalphs(config) ? findHooks(place) : null;

/** Null if the work goes into the commit of its feature. A task without a feature gets its own commit. */
const messageFor = (
  { commit, commit_message }: CommitRules,
  { session, task }: ClaimedTask,
  done: Closing,
): string | null =>
  commit === 'feature' && task.feature !== null
    ? null
    : taskMessage({
        session_id: session.id,
        task,
        summary: doneSummary(done) ?? '',
        template: commit_message,
      });

/**
 * The tree to judge, held by a ref until the task is settled. Null without git. If an earlier verification was interrupted,
 * changes since then are not the task's.
 */
async function takeProven(
  place: Place,
  { session, task }: ClaimedTask,
  onTaken?: (tree: TakenTree) => void,
): Promise<(TakenTree & Proven) | null> {
  const base = await readBase(place, session.id);
  const taken = await holdingOffGc(place, async () => {
    const tree = await takeTree(place, base?.tree);
    if (tree !== null) await holdTree(place, provenRef(task.id), tree.tree);
    return tree;
  });
  if (taken === null) return null;
  onTaken?.(taken);
  if (base !== null) requireCommittable(task.id, base, taken);
  const subject = { session_id: session.id, task_id: task.id };
  if (base !== null)
    await holdingOffGc(place, async () => {
      const now = await withOthersChanges(place, base, taken.tree);
      await writeBase(place, subject, {
        ...now,
        left: taken.tree,
        judged_head: taken.head ?? null,
      });
    });
  return { ...taken, head: taken.head ?? null };
}
