// What stands between a "done" and a receipt: gates that pass, and a commit with the work.
import { join } from 'node:path';
import type { Config } from '../domain/config.ts';
import type { FeatureWork } from '../domain/feature-work.ts';
import { type GateResult, NO_WORK, type Work } from '../domain/gate.ts';
import type { Session } from '../domain/session.ts';
import type { Closing } from '../domain/signal.ts';
import { commitFeature } from './feature-commit.ts';
import { isKnown, runGates } from './gates.ts';
import { headCommit } from './git.ts';
import { sessionDir } from './project.ts';
import type { Marker } from './reap.ts';
import { baseOf, commitSession, currentTree, type Place } from './session-work.ts';

export type Claimed = {
  session: Pick<Session, 'id' | 'base_commit'>;
  task: { id: number; title: string };
};

export type Proof<Live extends Claimed> = {
  /** What the gates say before the work begins, of those of whom nobody knows yet. */
  runBaseline(claimed: Claimed): Promise<GateResult[]>;
  runGates(claimed: Claimed): Promise<GateResult[]>;
  commit(live: Live, done: Closing): Promise<Work>;
};

export type ProofInput<Live extends Claimed> = {
  place: Place;
  /** Read before the first gate runs, and refused where nobody trusts it. */
  rules(): Promise<Pick<Config, 'gates' | 'commit'>>;
  /** What gates have said of a tree before. */
  known(tree_hash: string): Promise<readonly GateResult[]>;
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
    const run = {
      root,
      env: { ...env, [GATE_OF]: claimed.session.id },
      tree_hash,
      stop: input.stop,
      known: await knownOf(tree_hash),
      before: await knownOf(base_tree),
    };
    return { base_tree, run, folder: sessionDir(stateDir, claimed.session.id) };
  };
  return {
    runBaseline: async (claimed) => {
      const { gates } = await rules();
      if (gates.length === 0) return [];
      const { base_tree, run, folder } = await gatesOf(claimed);
      // Once the tree holds work of the task it says nothing of what was before.
      if (run.tree_hash === null || run.tree_hash !== base_tree) return [];
      const unknown = gates.filter((gate) => !isKnown(gate, run.known));
      return runGates(unknown, { ...run, logFolder: join(folder, 'gates-before') });
    },
    runGates: async (claimed) => {
      const { gates } = await rules();
      if (gates.length === 0) return [];
      const { run, folder } = await gatesOf(claimed);
      return runGates(gates, { ...run, logFolder: join(folder, 'gates') });
    },
    commit: async (live, done) => {
      const { session, task } = live;
      const uncommitted = async (): Promise<Work> => ({ ...NO_WORK, tree_hash: await currentTree(place) });
      switch ((await rules()).commit) {
        case 'task': {
          const summary = done.verb === 'done' ? done.summary : '';
          const { id: task_id, title } = task;
          const { id: session_id, base_commit } = session;
          return commitSession(place, { session_id, base_commit, task_id, title, summary });
        }
        case 'feature': {
          const feature = await input.featureWork(live);
          return feature === null ? uncommitted() : commitFeature(place, feature, session.base_commit);
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
