// What stands between a "done" and a receipt: gates that pass, and a commit with the work.
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
import { commitOfAgent, requireNoneOfPersons } from './commits/agent-commits.ts';
import { closeBase, commitFeature } from './commits/feature-commit.ts';
import type { SecretRules } from './commits/scan-secrets.ts';
import { readSigning, type Signing } from './commits/signing.ts';
import { commitSession, type Proven, taskMessage } from './commits/task-commit.ts';
import { runEach, UNCLAIMED, unlessAccepted } from './gates/baseline-gates.ts';
import { resultOf, runGates } from './gates/gates.ts';
import { findHooks, type Hooks } from './gates/hooks.ts';
import { type Hooked, proveHooks, runCommitMsg } from './gates/run-hooks.ts';
import { type GateListeners, watchGates } from './gates/watch-gates.ts';
import { holdingOffGc } from './git/hold-off-gc.ts';
import type { Place } from './git/own-git.ts';
import { holdTree, provenRef } from './git/refs.ts';
import { type TakenTree, takeTree } from './git/work-tree.ts';
import type { Marker } from './processes/reap.ts';
import { sessionDir } from './project.ts';
import { requireOwnBranch } from './work/branch.ts';
import { withOthers } from './work/persons-changes.ts';
import { requireRecord } from './work/require-record.ts';
import { readBase, requireKeepable, writeBase } from './work/session-base.ts';
import { resetBase } from './work/work-in-progress.ts';
import { isUnchangedSince } from './work/work-progress.ts';

export type Claimed = {
  session: Pick<Session, 'id' | 'base_commit'>;
  task: { id: number; title: string; feature: string | null; tags?: readonly string[] };
};

export type Baseline = { ran: readonly GateResult[]; all: readonly GateResult[] };

const NO_BASELINE: Baseline = { ran: [], all: [] };

export type Verifier<Live extends Claimed> = {
  /** What the gates say before the work begins: only those are run of whom nobody knows. */
  runBaseline(claimed: Claimed): Promise<Baseline>;
  /** Takes the tree that the gates then judge. */
  isUnchanged(claimed: Claimed): Promise<boolean>;
  /** The hooks of the repository first, where they are to judge. */
  runGates(claimed: Claimed, done: Closing): Promise<GateResult[]>;
  /** The tree that the gates saw is what is committed. */
  commit(live: Live, done: Closing, gates: readonly GateResult[]): Promise<Work>;
};

export type VerifierInput<Live extends Claimed> = GateListeners & {
  place: Place;
  /** Read before the first gate runs, and refused where nobody trusts it. */
  rules(): Promise<CommitRules>;
  /** What gates have said of a tree before. */
  known(tree_hash: string): Promise<readonly KnownGate[]>;
  /** What a commit of its feature would hold; null while the feature is not complete. */
  featureWork(live: Live): Promise<FeatureWork | null>;
  secrets: SecretRules;
  /** Fires when a person wants everything ended now. */
  stop?: AbortSignal;
  /** Gates that a person lets stay red. */
  accepted?: readonly string[];
  onTaken?(tree: TakenTree): void;
  /** A commit that should have been signed was not. */
  onUnsigned?(reason: string): void;
};

type CommitRules = Pick<Config, 'gates' | 'commit' | 'commit_hooks' | 'commit_message' | 'env'>;

const GATE_OF = 'RALPH_GATE_OF';

/** Carried by every gate of a session, and by what it started: it lives on when Ralph is killed. */
export const markerOfGates = (session_id: string): Marker => `${GATE_OF}=${session_id}`;

export function createVerifier<Live extends Claimed>(input: VerifierInput<Live>): Verifier<Live> {
  const { place, rules, known } = input;
  const { root, env, stateDir } = place;
  const proven = new Map<string, Proven & { signing: Signing | null; message: string | null }>();
  /** What was taken to see whether it has changed is what is judged: nothing was run between the two. */
  const toJudge = new Map<string, TakenTree & Proven>();
  const take = async (claimed: Claimed): Promise<(TakenTree & Proven) | null> => {
    await requireRecord(place, claimed.session.id);
    return takeProven(place, claimed, input.onTaken);
  };
  const knownOf = async (tree: string | null) => (tree === null ? [] : known(tree));
  const gateRun = async ({ session }: Claimed, tree_hash: string | null, base_tree: string | null) => {
    const knownNow = await knownOf(tree_hash);
    const run = {
      root,
      env: { ...env, [GATE_OF]: session.id },
      tree_hash,
      stop: input.stop,
      said: knownNow.filter(({ session_id, baseline }) => session_id === session.id && !baseline),
      before: await knownOf(base_tree),
    };
    return { known: knownNow, run, folder: sessionDir(stateDir, session.id) };
  };
  /** A hook that refuses the message of a whole feature refutes no task of it, so a person is asked. */
  const messageCheck = async (live: Live, config: CommitRules) => {
    const hooks = await hooksFor(place, config);
    const { run, folder } = await gateRun(live, null, null);
    return async (message: string): Promise<string> => {
      if (hooks === null) return message;
      const logFile = (name: string) => join(folder, 'gates', `hook-${name}.log`);
      const told = await runCommitMsg({ ...run, place, hooks, names: config.env, logFile }, message);
      if (told.result?.passed !== false) return told.message;
      throw new NeedsPerson(
        `The hook commit-msg refused the commit of the feature: ${told.result.tail} Change commit.message or the hook, then answer this question to try the task again.`,
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
      // Once the tree holds work of the task it says nothing of what was before.
      if (base === null || base.left !== base.tree) return NO_BASELINE;
      const { tree } = base;
      const { known: told, run, folder } = await gateRun(claimed, tree, tree);
      const unknown = gates.filter((gate) => resultOf(gate, told) === undefined);
      const logFolder = join(folder, 'gates-before');
      const ran = await runEach(unknown, {
        ...run,
        logFolder,
        onGate: watchGates(place, gates, tree, input),
      });
      const knownBefore = gates.flatMap((gate) => resultOf(gate, told) ?? []);
      const unsaved = told.flatMap(({ session_id, baseline: _, ...result }) =>
        session_id === UNCLAIMED ? [result] : [],
      );
      // What the gates themselves left in the tree is nobody's work.
      if (unknown.length > 0) await resetBase(place, claimed.session.id, claimed.task.id);
      return { ran: [...unsaved, ...ran], all: [...knownBefore, ...ran] };
    },
    runGates: async (claimed, done) => {
      const { session, task } = claimed;
      const config = await rules();
      // Before anything of the project runs, which could change it.
      const signing = isRalphs(config) ? await readSigning(place) : null;
      const first = toJudge.get(session.id) ?? (await take(claimed));
      toJudge.delete(session.id);
      if (first === null) proven.delete(session.id);
      const base_tree = (await readBase(place, session.id))?.tree ?? null;
      const { run, folder } = await gateRun(claimed, first?.tree ?? null, base_tree);
      const hooks = first === null ? null : await hooksFor(place, config);
      const message = messageFor(config, claimed, done);
      let hooked: Hooked | null = null;
      if (first !== null && hooks !== null) {
        const subject = { session_id: session.id, task_id: task.id };
        const logFile = (name: string) => join(folder, 'gates', `hook-${name}.log`);
        const hookRun = { ...run, place, hooks, names: config.env, logFile, onGate: input.onGate };
        hooked = await proveHooks(hookRun, subject, first, message, (files) =>
          input.onGateChanges?.({ gate: 'hook pre-commit', files }),
        );
        // A hook may have mended files: what was told before is the tree without that.
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
      const said = hooked?.results ?? [];
      if (config.gates.length === 0 || failedRequired(said).length > 0) return said;
      const tree_hash = judged?.tree ?? null;
      const onGate = watchGates(place, config.gates, tree_hash, input);
      const logFolder = join(folder, 'gates');
      const results = await runGates(config.gates, { ...run, tree_hash, onGate, logFolder });
      return [...said, ...results.map(unlessAccepted(input.accepted ?? [], run.before))];
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
        const commit = await commitOfAgent(place, live, judged, input.secrets);
        return { ...uncommitted, commit };
      }
      const { id: session_id, base_commit } = session;
      await requireOwnBranch(place, { session_id, task_id: task.id });
      await requireNoneOfPersons(place, { session_id, task_id: task.id });
      const { secrets, onUnsigned = () => {} } = input;
      const { signing, message } = judged;
      const common = { task_id: task.id, base_commit, proven: judged, secrets, signing, onUnsigned };
      if (message === null) {
        const feature = await input.featureWork(live);
        if (feature === null) {
          await closeBase(place, { session_id, task_id: task.id }, judged);
          return uncommitted;
        }
        const checkMessage = await messageCheck(live, config);
        return commitFeature(place, feature, { ...common, template: config.commit_message, checkMessage });
      }
      return commitSession(place, { ...common, session_id, message });
    },
  };
}

/** Whether Ralph makes the commits. */
const isRalphs = ({ commit }: Pick<Config, 'commit'>): boolean => commit === 'task' || commit === 'feature';

const hooksFor = async (place: Place, config: CommitRules): Promise<Hooks | null> =>
  config.commit_hooks === 'run' && isRalphs(config) ? findHooks(place) : null;

/** Null where the work goes into the commit of its feature. A task that belongs to no feature would be in no commit. */
const messageFor = (
  { commit, commit_message }: CommitRules,
  { session, task }: Claimed,
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
 * The tree as it is judged, held by a ref until the task is settled. Null without git. Where it was judged before and that was
 * interrupted, what has changed since is not the task's.
 */
async function takeProven(
  place: Place,
  { session, task }: Claimed,
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
  if (base !== null) requireKeepable(task.id, base, taken);
  const subject = { session_id: session.id, task_id: task.id };
  if (base !== null)
    await holdingOffGc(place, async () => {
      const now = await withOthers(place, base, taken.tree);
      await writeBase(place, subject, { ...now, left: taken.tree });
    });
  return { ...taken, head: taken.head ?? null };
}
