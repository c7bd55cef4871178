// What stands between a "done" and a receipt: gates that pass, and a commit with the work.
import { join } from 'node:path';
import type { Config } from '../domain/config.ts';
import type { FeatureWork } from '../domain/feature-work.ts';
import { type GateResult, type KnownGate, NO_WORK, type Work } from '../domain/gate.ts';
import type { Session } from '../domain/session.ts';
import { type Closing, doneSummary } from '../domain/signal.ts';
import { commitFeature } from './feature-commit.ts';
import { resultOf, runGates } from './gates.ts';
import { headCommit } from './git.ts';
import { sessionDir } from './project.ts';
import type { Marker } from './reap.ts';
import { baseOf, commitSession, currentTree, type Place } from './session-work.ts';
import { rebase } from './work-aside.ts';

export type Claimed = {
  session: Pick<Session, 'id' | 'base_commit'>;
  task: { id: number; title: string; feature: string | null };
};

export type Baseline = { ran: readonly GateResult[]; all: readonly GateResult[] };

const NO_BASELINE: Baseline = { ran: [], all: [] };

export type Proof<Live extends Claimed> = {
  /** What the gates say before the work begins: only those are run of whom nobody knows. */
  runBaseline(claimed: Claimed): Promise<Baseline>;
  runGates(claimed: Claimed): Promise<GateResult[]>;
  /** `gates`: what they said; the tree they saw is what is committed. */
  commit(live: Live, done: Closing, gates: readonly GateResult[]): Promise<Work>;
};

export type ProofInput<Live extends Claimed> = {
  place: Place;
  /** Read before the first gate runs, and refused where nobody trusts it. */
  rules(): Promise<Pick<Config, 'gates' | 'commit'>>;
  /** What gates have said of a tree before. */
  known(tree_hash: string): Promise<readonly KnownGate[]>;
  /** What a commit of its feature would hold; null while the feature is not complete. */
  featureWork(live: Live): Promise<FeatureWork | null>;
  /** Fires when a person wants everything ended now. */
  stop?: AbortSignal;
};

const GATE_OF = 'RALPH_GATE_OF';

/** Carried by every gate of a session, and by what it started: it lives on when Ralph is killed. */
export const markerOfGates = (session_id: string): Marker => `${GATE_OF}=${session_id}`;

export function proofBy<Live extends Claimed>(input: ProofInput<Live>): Proof<Live> {
  const { place, rules, known } = input;
  const { root, env, stateDir } = place;
  const knownOf = async (tree: string | null) => (tree === null ? [] : known(tree));
  const gatesOf = async (claimed: Claimed) => {
    const tree_hash = await currentTree(place);
    const base_tree = await baseOf(place, claimed.session.id);
    const knownNow = await knownOf(tree_hash);
    const run = {
      root,
      env: { ...env, [GATE_OF]: claimed.session.id },
      tree_hash,
      stop: input.stop,
      said: knownNow.filter(({ session_id, baseline }) => session_id === claimed.session.id && !baseline),
      before: await knownOf(base_tree),
    };
    return { base_tree, known: knownNow, run, folder: sessionDir(stateDir, claimed.session.id) };
  };
  return {
    runBaseline: async (claimed) => {
      const { gates } = await rules();
      if (gates.length === 0) return NO_BASELINE;
      const { base_tree, known: told, run, folder } = await gatesOf(claimed);
      // Once the tree holds work of the task it says nothing of what was before.
      if (run.tree_hash === null || run.tree_hash !== base_tree) return NO_BASELINE;
      const unknown = gates.filter((gate) => resultOf(gate, told) === undefined);
      const ran = await runGates(unknown, { ...run, logFolder: join(folder, 'gates-before') });
      const knownBefore = gates.flatMap((gate) => resultOf(gate, told) ?? []);
      // What the gates themselves left in the tree is nobody's work.
      if (ran.length > 0) await rebase(place, claimed.session.id, claimed.task.id);
      return { ran, all: [...knownBefore, ...ran] };
    },
    runGates: async (claimed) => {
      const { gates } = await rules();
      if (gates.length === 0) return [];
      const { run, folder } = await gatesOf(claimed);
      return runGates(gates, { ...run, logFolder: join(folder, 'gates') });
    },
    commit: async (live, done, gates) => {
      const { session, task } = live;
      const proven = gates.at(0)?.tree_hash ?? null;
      const uncommitted = async (): Promise<Work> => ({
        ...NO_WORK,
        tree_hash: proven ?? (await currentTree(place)),
      });
      const ofTask = (): Promise<Work> => {
        const summary = doneSummary(done) ?? '';
        const { id: task_id, title } = task;
        const { id: session_id, base_commit } = session;
        return commitSession(place, { session_id, base_commit, task_id, title, summary, proven });
      };
      switch ((await rules()).commit) {
        case 'task':
          return ofTask();
        case 'feature': {
          // A task that belongs to none would be in nobody's commit.
          if (task.feature === null) return ofTask();
          const feature = await input.featureWork(live);
          return feature === null
            ? uncommitted()
            : commitFeature(place, feature, { base_commit: session.base_commit, proven });
        }
        case 'agent': {
          const head = await headCommit(place);
          return { ...(await uncommitted()), commit: head === session.base_commit ? null : head };
        }
        case 'never':
          return uncommitted();
      }
    },
  };
}
