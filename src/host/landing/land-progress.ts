// Lands the entry of a finished feature in the progress file: one commit, gated like any other.
import { join, relative } from 'node:path';
import type { Config } from '../../domain/config.ts';
import { MachineFailed, NeedsPerson } from '../../domain/refusal.ts';
import { commitMessage, commitSubject } from '../../domain/sessions/commit-message.ts';
import { failedRequired, NO_WORK, type Work } from '../../domain/sessions/gate.ts';
import { type FeatureWork, progressEntry } from '../../domain/tasks/feature.ts';
import { singleLine } from '../../domain/text/text.ts';
import { readSigning } from '../commits/signing.ts';
import { unlessAccepted } from '../gates/baseline-gates.ts';
import type { GateListeners } from '../gates/watch-gates.ts';
import { git, gitLine, treeOfCommit } from '../git/git.ts';
import { findGit } from '../git/git-directory.ts';
import { holdingOffGc } from '../git/hold-off-gc.ts';
import { treeWith } from '../git/own-git.ts';
import { rawPath } from '../git/raw-path.ts';
import { dropRefs } from '../git/refs.ts';
import { formatEntry } from '../git/tree-changes.ts';
import { sessionDir } from '../session-folder.ts';
import { findLanded, landCommit } from './land-commit.ts';
import { noBranchText } from './persons-commits.ts';
import { type GateGround, gateLogs, inGateSlot, runGatesIn } from './slot-gates.ts';
import type { Train } from './train.ts';
import { advanceTrunk, type Trunk } from './trunk.ts';
import { candidateRef, plainCommit } from './work-refs.ts';

export type ProgressInput = GateListeners & {
  config: Pick<Config, 'gates' | 'commit_message'>;
  file: string;
  stop?: AbortSignal;
  /** Gates that may stay red. */
  accepted: readonly string[];
  onUnsigned(reason: string): void;
  follow(): Promise<void>;
  findUntrusted(root: string): Promise<string | null>;
};

const PLAIN_FILE = '100644';

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
  const held = candidateRef(`progress-${feature.last.id}`);
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
        `your commits on ${trunk.branch} are not on ralph/${trunk.branch} yet; the end of the run takes them in.`,
      );
    const { tip } = standing;
    const message = entryMessage(feature, config.commit_message);
    // Gates take minutes, so a ref has to hold the entry meanwhile.
    const made = await holdingOffGc(repository, async () => {
      const tree = await withEntry(ground, tip, file, progressEntry(feature));
      if (tree === null) return null;
      const commit = await plainCommit(repository, { tree, parents: [tip], message });
      await git(repository, ['update-ref', held, commit]);
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
    if (landed === null) throw new MachineFailed(`ralph/${trunk.branch} moved while the gates ran.`);
    await follow();
    return { ...NO_WORK, commit: landed, tree_hash: tree };
  } finally {
    // In this order: the next in the train may be about to use the same ref.
    await dropRefs(repository, [held]).finally(() => train.leave(id));
  }
}

/** The tree of the tip with the entry added to the file; null if it is there already, or if the file is no plain file. */
async function withEntry(
  { place: { repository } }: GateGround,
  tip: string,
  file: string,
  entry: string,
): Promise<string | null> {
  const worktree = findGit(repository.root)?.worktree ?? repository.root;
  const path = rawPath(join(relative(worktree, repository.root), file));
  const tree = await treeOfCommit(repository, tip);
  const { stdout: found } = await git(repository, ['ls-tree', '--full-tree', '-z', tree, '--', path]);
  const [, mode, hash] = /^(\d+) blob ([0-9a-f]+)\t/.exec(found) ?? [];
  if (found !== '' && mode !== PLAIN_FILE) return null;
  const before =
    hash === undefined
      ? '# Progress\n'
      : Buffer.from((await git(repository, ['cat-file', 'blob', hash])).stdout, 'latin1').toString('utf8');
  if (before.includes(entry)) return null;
  const input = Buffer.from(`${before.trimEnd()}\n\n${entry}`);
  const blob = await gitLine(repository, ['hash-object', '-w', '--stdin'], { input });
  return treeWith(repository, tree, formatEntry({ path, mode: PLAIN_FILE, hash: blob }));
}

const entryMessage = ({ title, name, tasks, last }: FeatureWork, template: string): string =>
  commitMessage({
    title: commitSubject(template, {
      title: `Record the progress of ${title}`,
      id: null,
      feature: name,
      tags: ['docs'],
    }),
    summary: tasks.map((task) => `- ${singleLine(task.title)}`).join('\n'),
    trailers: [
      ['Ralph-Feature', name],
      ['Ralph-Progress', last.id],
    ],
  });
