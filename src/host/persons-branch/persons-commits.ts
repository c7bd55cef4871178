// Takes in what a person committed on their branch while it waited for landed work: merged into the trunk, or below that work if
// they replaced what it builds on. Every commit that this makes is gated.
import type { Config } from '../../domain/config.ts';
import { MachineFailed, NeedsPerson } from '../../domain/refusal.ts';
import { failedRequired } from '../../domain/sessions/gate.ts';
import { unlessAccepted } from '../gates/baseline-gates.ts';
import type { GateListeners } from '../gates/watch-gates.ts';
import { isAncestor, treeOfCommit } from '../git/git.ts';
import { holdingOffGc } from '../git/hold-off-gc.ts';
import type { Place } from '../git/own-git.ts';
import { dropRefs, holdCommit } from '../git/refs.ts';
import { mergeCommits } from '../landing/merge.ts';
import { type GateGround, gateLogs, inGateSlot, runGatesIn } from '../landing/slot-gates.ts';
import { advanceTrunk, followedRef, moveRef, type Standing, type Trunk } from '../landing/trunk.ts';
import { ownCandidateRef, plainCommit } from '../landing/work-refs.ts';
import { plantAnew } from './plant-anew.ts';
import { findRewritten, type Rewritten } from './rewritten.ts';

type PersonsCommitsInput = GateListeners & {
  ground: GateGround;
  config: Pick<Config, 'gates'>;
  folder: string;
  stop?: AbortSignal;
  /** Gates that may stay red. */
  accepted: readonly string[];
  onUnsigned(reason: string): void;
  /** The question to the person if what judges in this folder is not what they trusted. */
  findUntrusted(root: string): Promise<string | null>;
};

type Diverged = Extract<Standing, { tip: string }>;

/** A commit that the trunk would get. `redText`: what a person reads if this gate fails on it. */
type Made = { commit: string; redText(gate: string): string };

/** `made`: in their order. `base`: the commit of the branch that the trunk then starts from; null if that stays as it is. */
type Candidates = { made: readonly Made[]; tip: string; base: string | null };

/** Returns the tip of the trunk, with the person's commits in it. */
export async function mergePersonsCommits(
  repository: Place,
  trunk: Trunk,
  standing: Standing,
  input: PersonsCommitsInput,
): Promise<{ tip: string }> {
  if (standing.kind === 'no_branch') throw new MachineFailed(noBranchText(trunk));
  if (standing.kind !== 'diverged') return { tip: standing.tip };
  const { tip: from, branch } = standing;
  const held = ownCandidateRef('merge');
  try {
    const { made, tip, base } = await holdingOffGc(repository, async () => {
      const candidates = await makeCandidates(repository, trunk, standing, input);
      await holdCommit(repository, held, candidates.tip);
      return candidates;
    });
    for (const one of made) await requireGreen(repository, one, input);
    const reason = base === null ? `take in ${trunk.branch}` : `plant landed work anew on ${trunk.branch}`;
    const also = base === null ? {} : { also: { ref: followedRef(trunk), to: base } };
    // Gates take minutes. What a person replaced meanwhile must not come back by the merge.
    const isMoved =
      (await isAncestor(repository, branch, trunk.branchRef)) &&
      (await moveRef(repository, trunk.ref, { from, to: tip, reason, ...also }));
    if (isMoved) return { tip };
  } finally {
    await dropRefs(repository, [held]);
  }
  // They did, or another process has landed meanwhile: its work has to be merged as well.
  return mergePersonsCommits(repository, trunk, await advanceTrunk(repository, trunk), input);
}

async function makeCandidates(
  repository: Place,
  trunk: Trunk,
  standing: Diverged,
  { onUnsigned }: PersonsCommitsInput,
): Promise<Candidates> {
  const { tip, branch } = standing;
  const rewritten = await findRewritten(repository, trunk, standing);
  const below = await findBase(repository, branch, rewritten === null ? tip : rewritten.sound);
  const merges = below === null ? [] : [await mergeBranch(repository, trunk, below, branch)];
  const base = merges[0]?.commit ?? branch;
  const planted =
    rewritten === null
      ? []
      : await plantAnew(repository, trunk, { base, onUnsigned, since: sinceWhen(rewritten), ...rewritten });
  const made = [...merges, ...planted];
  return { made, tip: made.at(-1)?.commit ?? base, base: below === null ? branch : null };
}

const sinceWhen = ({ sound, landed: [first] }: Rewritten): string => sound ?? first?.parents[0] ?? '';

/** The commit of the trunk that has to be merged with the branch; null if the branch has it already. */
const findBase = async (repository: Place, branch: string, sound: string | null): Promise<string | null> =>
  sound === null || (await isAncestor(repository, sound, branch)) ? null : sound;

async function mergeBranch(repository: Place, trunk: Trunk, below: string, branch: string): Promise<Made> {
  const { tree, conflicts } = await mergeCommits(repository, below, branch);
  if (conflicts.length > 0) throw new MachineFailed(divergedText(trunk, conflicts));
  const message = `Merge branch '${trunk.branch}' into ${trunk.name}\n`;
  const commit = await plainCommit(repository, { tree, parents: [below, branch], message });
  return { commit, redText: (gate) => redText(trunk, gate) };
}

async function requireGreen(
  repository: Place,
  { commit, redText }: Made,
  { ground, config, folder, stop, accepted, findUntrusted, ...listeners }: PersonsCommitsInput,
): Promise<void> {
  const tree = await treeOfCommit(repository, commit);
  const results = await inGateSlot(ground, commit, async (slot) => {
    const untrusted = await findUntrusted(slot.root);
    if (untrusted !== null) throw new NeedsPerson(untrusted);
    return runGatesIn(ground, slot, {
      tree,
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
  if (red !== undefined) throw new MachineFailed(redText(red.name));
}

export const noBranchText = ({ branch }: Trunk): string =>
  `There is no branch ${branch} to land work on; make its first commit, or name another as land.branch.`;

const divergedText = ({ branch, name }: Trunk, conflicts: readonly string[]): string =>
  `Your commits on ${branch} conflict with landed work in ${conflicts.slice(0, 5).join(', ')}. Merge them with git merge ${name}, resolve and commit; then run ralph run again.`;

const redText = ({ branch, name }: Trunk, gate: string): string =>
  `Your commits on ${branch} and the work on ${name} fail the gate ${gate} together; merge them yourself (git merge ${name}), repair that, commit, and run ralph run again.`;
