// Puts landed work on top of the commits with which a person replaced what it was built on. The receipt of a task stays as it is:
// it says what was proven when. Which commit is the task's now, its trailer says, as after a rebase by the person.
import { MachineFailed } from '../../domain/refusal.ts';
import { readSigning } from '../commits/signing.ts';
import type { Place } from '../git/own-git.ts';
import { makeCommit } from '../landing/land-commit.ts';
import { mergeWork } from '../landing/merge.ts';
import type { Trunk } from '../landing/trunk.ts';
import type { LandedCommit } from './rewritten.ts';

type PlantInput = {
  /** The commit that the work goes onto. */
  base: string;
  landed: readonly LandedCommit[];
  /** The commit of the trunk below the landed work. */
  since: string;
  onUnsigned(reason: string): void;
};

/** No gate has seen these commits yet, and no ref holds them. Throws if one conflicts. */
export async function plantAnew(
  repository: Place,
  trunk: Trunk,
  { base, landed, since, onUnsigned }: PlantInput,
): Promise<{ commit: string; redText(gate: string): string }[]> {
  const signing = await readSigning(repository);
  const planted: { commit: string; redText(gate: string): string }[] = [];
  let tip = base;
  for (const one of landed) {
    const { commit, parents, author, message } = one;
    const [before = '', ...merged] = parents;
    const { tree, conflicts } = await mergeWork(repository, { base: before, commit }, tip);
    const failed = (how: string): string => failedText(trunk, one, how, since);
    if (conflicts.length > 0)
      throw new MachineFailed(failed(`conflicts with them in ${conflicts.slice(0, 5).join(', ')}`));
    tip = await makeCommit(
      {
        ...repository,
        overrides: {
          GIT_AUTHOR_NAME: author.name,
          GIT_AUTHOR_EMAIL: author.email,
          GIT_AUTHOR_DATE: author.date,
        },
      },
      { tree, parents: [tip, ...merged], message: `${message.trimEnd()}\n`, signing, onUnsigned },
    );
    planted.push({ commit: tip, redText: (gate) => failed(`fails the gate ${gate} on top of them`) });
  }
  return planted;
}

/** The trailers of picked commits tell Ralph that the work is on the branch. */
const failedText = (
  { branch, name }: Trunk,
  { commit, message }: LandedCommit,
  how: string,
  since: string,
): string =>
  `You replaced commits of ${branch} that work on ${name} builds on, and "${message.split('\n')[0]}" (${commit.slice(0, 7)}) ${how}. Put the work onto ${branch} yourself with git cherry-pick --first-parent --no-merges ${since.slice(0, 12)}..${name}, repair and commit it; then run ralph run again.`;
