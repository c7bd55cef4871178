// Takes in what a person committed on their branch while it waited for landed work: merged into the trunk, and gated once.
import type { Config } from '../../domain/config.ts';
import { MachineFailed, NeedsPerson } from '../../domain/refusal.ts';
import { failedRequired } from '../../domain/sessions/gate.ts';
import { unlessAccepted } from '../gates/baseline-gates.ts';
import type { GateListeners } from '../gates/watch-gates.ts';
import { git } from '../git/git.ts';
import { holdingOffGc } from '../git/hold-off-gc.ts';
import type { Place } from '../git/own-git.ts';
import { dropRefs } from '../git/refs.ts';
import { mergeCommits } from './merge.ts';
import { type GateGround, gateLogs, inGateSlot, runGatesIn } from './slot-gates.ts';
import { advanceTrunk, moveRef, type Standing, type Trunk } from './trunk.ts';
import { candidateRef, plainCommit } from './work-refs.ts';

export type PersonsCommitsInput = GateListeners & {
  ground: GateGround;
  config: Pick<Config, 'gates'>;
  folder: string;
  stop?: AbortSignal;
  /** Gates that may stay red. */
  accepted: readonly string[];
  /** The question to the person if what judges in this folder is not what they trusted. */
  findUntrusted(root: string): Promise<string | null>;
};

/** Returns the tip of the trunk, with the person's commits in it. */
export async function mergePersonsCommits(
  repository: Place,
  trunk: Trunk,
  standing: Standing,
  input: PersonsCommitsInput,
): Promise<{ tip: string }> {
  if (standing.kind === 'no_branch') throw new MachineFailed(noBranchText(trunk));
  if (standing.kind !== 'diverged') return { tip: standing.tip };
  const { ground, config, folder, stop, accepted, findUntrusted, ...listeners } = input;
  const { tip, branch } = standing;
  const merge = await mergeCommits(repository, tip, branch);
  if (merge.conflicts.length > 0) throw new MachineFailed(divergedText(trunk, merge.conflicts));
  const message = `Merge branch '${trunk.branch}' into ${trunk.name}\n`;
  const held = candidateRef(`merge-${trunk.branch}`);
  const commit = await holdingOffGc(repository, async () => {
    const made = await plainCommit(repository, { tree: merge.tree, parents: [tip, branch], message });
    await git(repository, ['update-ref', held, made]);
    return made;
  });
  const results = await inGateSlot(ground, commit, async (slot) => {
    const untrusted = await findUntrusted(slot.root);
    if (untrusted !== null) throw new NeedsPerson(untrusted);
    return runGatesIn(ground, slot, {
      tree: merge.tree,
      gates: config.gates,
      logFolder: `${gateLogs(folder)}-merge`,
      marker: {},
      sessionResults: [],
      resultsBefore: [],
      stop,
      listeners,
    });
  });
  const [red] = failedRequired(results.map(unlessAccepted(accepted, [])));
  if (red !== undefined)
    throw new MachineFailed(
      `Your commits on ${trunk.branch} and the work on ${trunk.name} fail the gate ${red.name} together; merge them yourself (git merge ${trunk.name}), repair that, commit, and run ralph run again.`,
    );
  const isMoved = await moveRef(repository, trunk.ref, {
    from: tip,
    to: commit,
    reason: `take in ${trunk.branch}`,
  });
  await dropRefs(repository, [held]);
  // Another process has landed meanwhile: its work has to be merged as well.
  return isMoved
    ? { tip: commit }
    : mergePersonsCommits(repository, trunk, await advanceTrunk(repository, trunk), input);
}

export const noBranchText = ({ branch }: Trunk): string =>
  `There is no branch ${branch} to land work on; make its first commit, or name another as land.branch.`;

const divergedText = ({ branch, name }: Trunk, conflicts: readonly string[]): string =>
  `Your commits on ${branch} conflict with landed work in ${conflicts.slice(0, 5).join(', ')}. Merge them with git merge ${name}, resolve and commit; then run ralph run again.`;
