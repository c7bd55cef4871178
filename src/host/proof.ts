// What stands between a "done" and a receipt: gates that pass, and a commit with the work.
import { join } from 'node:path';
import type { Config } from '../domain/config.ts';
import { type GateResult, NO_WORK, type Work } from '../domain/gate.ts';
import type { Closing } from '../domain/signal.ts';
import { runGates } from './gates.ts';
import { sessionDir } from './project.ts';
import { commitSession, currentTree, type Place } from './session-work.ts';

export type Claimed = { session: { id: string }; task: { id: number; title: string } };

export type Proof = {
  runGates(claimed: Claimed): Promise<GateResult[]>;
  commit(claimed: Claimed, done: Closing): Promise<Work>;
};

/** `rules`: what is read before the first gate runs, and refused where nobody trusts it. */
export function proofBy(place: Place, rules: () => Promise<Pick<Config, 'gates' | 'commit'>>): Proof {
  const { root, env, stateDir } = place;
  return {
    runGates: async ({ session }) => {
      const { gates } = await rules();
      const logFolder = join(sessionDir(stateDir, session.id), 'gates');
      return runGates(gates, { root, env, logFolder, tree_hash: await currentTree(place) });
    },
    commit: async ({ session, task }, done) => {
      const { commit } = await rules();
      if (commit !== 'task') return { ...NO_WORK, tree_hash: await currentTree(place) };
      const summary = done.verb === 'done' ? done.summary : '';
      return commitSession(place, { session_id: session.id, task_id: task.id, title: task.title, summary });
    },
  };
}
