// Makes files anew that two sessions changed and that a command can make, such as lock files, instead of calling it a conflict.
import { relative } from 'node:path';
import type { Config } from '../../domain/config.ts';
import { matcher } from '../../files/patterns.ts';
import { runGate } from '../gates/gates.ts';
import { git, treeOfCommit } from '../git/git.ts';
import { findGit } from '../git/git-directory.ts';
import { holdingOffGc } from '../git/hold-off-gc.ts';
import { type Place, treeWith } from '../git/own-git.ts';
import { rawPath } from '../git/raw-path.ts';
import { holdCommit } from '../git/refs.ts';
import { insideSlot } from '../sandbox/inside.ts';
import { takeSlot } from '../slots/fill-slot.ts';
import type { Regenerate } from './candidate.ts';
import { environmentIn, type GateGround, inGateSlotWithWork } from './slot-gates.ts';
import { plainCommit, type WorkCommit } from './work-refs.ts';

const TIMEOUT_SECONDS = 1_800;

/** `folder`: that of the project in its repository, from which patterns are meant. */
const pathMatcher =
  (folder: string, patterns: readonly string[]) =>
  (path: string): boolean =>
    path.startsWith(folder) && patterns.some((pattern) => matcher(pattern)(path.slice(folder.length)));

function projectFolder({ root }: Place): string {
  const below = relative(findGit(root)?.worktree ?? root, root);
  return below === '' ? '' : `${below}/`;
}

/** `ref`: holds what the commands start from. */
export function regenerateWith(
  ground: GateGround,
  rules: Config['land']['regenerate'],
  work: WorkCommit,
  ref: string,
): Regenerate {
  const repository = ground.place.repository;
  const folder = projectFolder(repository);
  return async ({ tree, conflicts }, tip) => {
    const needed = rules.filter(({ files }) => conflicts.some(pathMatcher(folder, files)));
    const isMade = pathMatcher(
      folder,
      needed.flatMap(({ files }) => [...files]),
    );
    if (needed.length === 0 || !conflicts.every(isMade)) return null;
    // The command starts from the version that landed.
    const listed = await git(repository, [
      'ls-tree',
      '--full-tree',
      '-z',
      await treeOfCommit(repository, tip),
      '--',
      ...conflicts,
    ]);
    const entries = listed.stdout
      .split('\0')
      .filter(Boolean)
      .map((line) => `${line.replace(/ blob /, ' ')}\0`);
    const found = new Set(entries.map((entry) => entry.slice(entry.indexOf('\t') + 1, -1)));
    const gone = conflicts.filter((path) => !found.has(rawPath(path)));
    const removed = gone.map((path) => `0 ${'0'.repeat(tip.length)}\t${rawPath(path)}\0`);
    const start = await treeWith(repository, tree, [...entries, ...removed].join(''));
    const message = 'Before files are made anew\n';
    const commit = await plainCommit(repository, { tree: start, parents: [tip, work.commit], message });
    await holdCommit(repository, ref, commit);
    return (use) =>
      inGateSlotWithWork(
        ground,
        { commit, trunkTip: tip },
        async (slot) => {
          for (const [index, { command }] of needed.entries()) {
            const env = environmentIn(ground, slot);
            const logFile = `${slot.folder}.regenerate-${index}.log`;
            const gate = {
              name: 'regenerate',
              command,
              required: true,
              timeout_seconds: TIMEOUT_SECONDS,
              max_output_mb: 16,
              expect: null,
              env: ground.rules.names,
              flaky: 'fail' as const,
            };
            const { passed } = await runGate(gate, {
              root: slot.root,
              env,
              logFile,
              tree_hash: null,
              stop: ground.rules.stop,
              enclosure: ground.rules.sandbox?.enclose(insideSlot(slot, 'gate')),
            });
            if (!passed) return null;
          }
          return holdingOffGc(repository, async () =>
            use((await takeSlot(slot, commit, ground.rules.included)).tree),
          );
        },
        // As a command that fails.
        () => null,
      );
  };
}
