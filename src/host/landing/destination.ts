// Where the proven work of a session goes: onto the trunk, or to the branch of a pull request (pull-branch.ts).
import { NO_WORK, type Work } from '../../domain/sessions/gate.ts';
import { treeOfCommit } from '../git/git.ts';
import type { Place } from '../git/own-git.ts';
import { mergePersonsCommits } from '../persons-branch/persons-commits.ts';
import { findRewritten } from '../persons-branch/rewritten.ts';
import { allEnded } from '../processes/all-ended.ts';
import { sessionDir } from '../session-folder.ts';
import type { Judged, JudgeInput } from './gate-merged-work.ts';
import { diffStat, findLanded, landCommit, landedWork } from './land-commit.ts';
import type { SlotClaim } from './slot-work.ts';
import { advanceTrunk, trunkStanding } from './trunk.ts';

export type LandingPoint = {
  /** The commit that the work is merged with. */
  tip: string;
  /** Of the commit that lands. */
  parents: readonly string[];
  /** Where the ref is that the landing moves; null if there is none yet. */
  from: string | null;
  /** A commit without conflict markers: what differs from it is searched for them. */
  clean: string;
  /** Files of `tip` that have conflict markers. */
  conflicts: readonly string[];
};

export type Destination = {
  point(live: SlotClaim): Promise<LandingPoint>;
  /** The commit of this session, if it is there already. `isRecovery`: a process that is gone may have brought it there. */
  find(live: SlotClaim, isRecovery: boolean): Promise<string | null>;
  /** Null if the ref is not where it was when the gates judged. */
  land(live: SlotClaim, judged: Judged): Promise<Work | null>;
  /** What is there already. */
  describe(live: SlotClaim, commit: string): Promise<Work>;
};

type TrunkInput = Omit<JudgeInput, 'destination'> & {
  onUnsigned(reason: string): void;
  /** Brings the person's checkout forward. */
  follow(): Promise<void>;
  /** The same beside what comes after a landing. */
  followBeside(): Promise<void>;
};

export function trunkDestination(repository: Place, input: TrunkInput): Destination {
  const { trunk, follow, followBeside } = input;
  return {
    point: async ({ session }) => {
      const standing = await advanceTrunk(repository, trunk);
      const { tip } = await mergePersonsCommits(repository, trunk, standing, {
        ...input,
        folder: sessionDir(repository.stateDir, session.id),
      });
      // Before the person can rewrite what the trunk has taken in: a branch that never had the trunk would get both versions.
      if (standing.kind === 'diverged') await follow();
      return { tip, parents: [tip], from: tip, clean: tip, conflicts: [] };
    },
    find: ({ session }, isRecovery) => {
      const trailer = `Ralph-Session: ${session.id}`;
      return findLanded(repository, trunk, trailer, session.base_commit, { everywhere: isRecovery });
    },
    land: async (_, { tip, tree, ...made }) => {
      // As in the checkout: no empty commit for a done without a change.
      if (tree === (await treeOfCommit(repository, tip))) return { ...NO_WORK, tree_hash: tree };
      // Gates take minutes. What a person replaced meanwhile must not land again below this work.
      const standing = await trunkStanding(repository, trunk);
      if ((await findRewritten(repository, trunk, standing)) !== null) return null;
      const [commit, diff_stat] = await allEnded([
        landCommit(repository, trunk, { tip, tree, ...made, ...input }),
        diffStat(repository, tip, tree),
      ]);
      if (commit === null) return null;
      await followBeside();
      return { ...NO_WORK, commit, tree_hash: tree, diff_stat };
    },
    describe: async (_, commit) => {
      await follow();
      return landedWork(repository, commit);
    },
  };
}
