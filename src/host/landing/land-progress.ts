// Lands the entry of a finished feature in the progress file: one commit, gated like any other.
import type { Config } from '../../domain/config.ts';
import { MachineFailed, NeedsPerson } from '../../domain/refusal.ts';
import { failedRequired, NO_WORK, type Work } from '../../domain/sessions/gate.ts';
import { type FeatureWork, progressEntry } from '../../domain/tasks/feature.ts';
import { entryMessage } from '../commits/messages.ts';
import { treeWithEntry } from '../commits/progress-entry.ts';
import { readSigning } from '../commits/signing.ts';
import { unlessAccepted } from '../gates/baseline-gates.ts';
import type { GateListeners } from '../gates/watch-gates.ts';
import { treeOfCommit } from '../git/git.ts';
import { holdingOffGc } from '../git/hold-off-gc.ts';
import { dropRefs, holdCommit } from '../git/refs.ts';
import { noBranchText } from '../persons-branch/persons-commits.ts';
import { sessionDir } from '../session-folder.ts';
import { findLanded, landCommit } from './land-commit.ts';
import { type GateGround, gateLogs, inGateSlot, runGatesIn } from './slot-gates.ts';
import type { Train } from './train.ts';
import { advanceTrunk, type Trunk } from './trunk.ts';
import { ownCandidateRef, plainCommit } from './work-refs.ts';

type ProgressInput = GateListeners & {
  config: Pick<Config, 'gates' | 'commit_message'>;
  file: string;
  stop?: AbortSignal;
  /** Gates that may stay red. */
  accepted: readonly string[];
  onUnsigned(reason: string): void;
  follow(): Promise<void>;
  findUntrusted(root: string): Promise<string | null>;
};

export async function landProgress(
  ground: GateGround,
  trunk: Trunk,
  train: Train,
  feature: FeatureWork,
  { config, file, stop, accepted, onUnsigned, follow, findUntrusted, ...listeners }: ProgressInput,
): Promise<Work> {
  const { repository } = ground.place;
  // Two sessions may end at once and find the same feature: each needs a place of its own in the train.
  const id = `progress-${feature.last.id}-${crypto.randomUUID()}`;
  const candidate = ownCandidateRef('progress');
  await train.enter(id, feature.tasks.at(-1)?.id ?? 0);
  try {
    const known = await findLanded(
      repository,
      trunk,
      `Ralph-Progress: ${feature.last.id}`,
      feature.last.base_commit,
    );
    if (known !== null) return { ...NO_WORK, commit: known };
    const standing = await advanceTrunk(repository, trunk);
    if (standing.kind === 'no_branch') throw new MachineFailed(noBranchText(trunk));
    if (standing.kind === 'diverged')
      throw new MachineFailed(
        `your commits on ${trunk.branch} are not on ${trunk.name} yet; the end of the run takes them in.`,
      );
    const { tip } = standing;
    const message = entryMessage(feature, config.commit_message);
    // Gates take minutes, so a ref has to hold the entry meanwhile.
    const made = await holdingOffGc(repository, async () => {
      const tree = await treeWithEntry(
        repository,
        await treeOfCommit(repository, tip),
        file,
        progressEntry(feature),
      );
      if (tree === null) return null;
      const commit = await plainCommit(repository, { tree, parents: [tip], message });
      await holdCommit(repository, candidate, commit);
      return { tree, commit };
    });
    if (made === null) return NO_WORK;
    const { tree, commit } = made;
    const results = await inGateSlot(ground, commit, async (slot) => {
      const untrusted = await findUntrusted(slot.root);
      if (untrusted !== null) throw new NeedsPerson(untrusted);
      return runGatesIn(ground, slot, {
        tree,
        gates: config.gates,
        logFolder: `${gateLogs(sessionDir(repository.stateDir, feature.last.id))}-progress`,
        marker: {},
        sessionResults: [],
        resultsBefore: [],
        stop,
        listeners,
      });
    });
    const [red] = failedRequired(results.map(unlessAccepted(accepted, [])));
    if (red !== undefined) throw new MachineFailed(`the gate ${red.name} fails with the entry in ${file}.`);
    const signing = await readSigning(repository);
    const landed = await landCommit(repository, trunk, { tip, tree, message, signing, onUnsigned });
    if (landed === null) throw new MachineFailed(`${trunk.name} moved while the gates ran.`);
    await follow();
    return { ...NO_WORK, commit: landed, tree_hash: tree };
  } finally {
    await dropRefs(repository, [candidate]).finally(() => train.leave(id));
  }
}
