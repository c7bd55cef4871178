// Finds git's directories and refs by reading files: that costs no process, and executes nothing of the repository.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { Refusal } from '../../domain/refusal.ts';
import { namesIn } from '../../files/read-text.ts';

/** `gitDir`: this work tree's own directory, with its index; `commonDir`: the one that all work trees share. */
export type GitPlace = { worktree: string; gitDir: string; commonDir: string };

export function findGit(start: string): GitPlace | null {
  for (let folder = resolve(start); ; folder = dirname(folder)) {
    const found = gitDirectories(folder);
    if (found === 'state only') return null;
    if (found !== null) return { worktree: folder, ...found };
    if (folder === dirname(folder)) return null;
  }
}

/** After a `.git` was removed during a run, it holds only the state that the run restored, and no repository. */
export const isStateOnly = (folder: string): boolean => namesIn(join(folder, '.git')).join('/') === 'ralph';

/** A session asks for it a hundred times, so the usual case takes three looks at the disk. */
function gitDirectories(folder: string): Omit<GitPlace, 'worktree'> | 'state only' | null {
  const dotGit = join(folder, '.git');
  const found = statSync(dotGit, { throwIfNoEntry: false });
  if (found === undefined) return null;
  const gitDir = found.isDirectory() ? dotGit : linkedDir(dotGit);
  if (!existsSync(join(gitDir, 'HEAD'))) {
    if (isStateOnly(folder)) return 'state only';
    throw new Refusal(
      `${dotGit} is no git directory, because its HEAD is missing; repair it, and do not remove it: Ralph's queue is in it.`,
    );
  }
  const common = tryRead(join(gitDir, 'commondir'));
  return { gitDir, commonDir: common === null ? gitDir : resolve(gitDir, common.trim()) };
}

/** Work trees and submodules have a `.git` file with the path of the directory. */
function linkedDir(dotGit: string): string {
  const target = /^gitdir: (.+)$/m.exec(tryRead(dotGit) ?? '')?.[1]?.trim();
  const gitDir = target === undefined ? null : resolve(dirname(dotGit), target);
  if (gitDir === null || !statSync(gitDir, { throwIfNoEntry: false })?.isDirectory()) {
    throw new Refusal(`${dotGit} points to no git directory; repair it with: git worktree repair`);
  }
  return gitDir;
}

/** All work trees of the repository: they share its refs. */
export function listWorktrees({ worktree, commonDir }: GitPlace): string[] {
  const linked = join(commonDir, 'worktrees');
  const names = existsSync(linked) ? readdirSync(linked) : [];
  const others = names.flatMap((name) => {
    const dotGit = tryRead(join(linked, name, 'gitdir'))?.trim();
    return dotGit === undefined ? [] : [dirname(dotGit)];
  });
  return [...new Set([worktree, dirname(commonDir), ...others])];
}

/** The ref that HEAD is on, such as `refs/heads/main`; null if it is on none. */
export const currentBranch = ({ gitDir }: GitPlace): string | null =>
  /^ref: (refs\/.+)$/m.exec(tryRead(join(gitDir, 'HEAD')) ?? '')?.[1]?.trim() ?? null;

/** The commit that a ref names: null if there is no such ref, undefined if only git can tell. */
export function commitAt({ commonDir }: GitPlace, ref: string): string | null | undefined {
  if (existsSync(join(commonDir, 'reftable'))) return undefined;
  const loose = tryRead(join(commonDir, ref))?.trim();
  if (loose !== undefined) return COMMIT.test(loose) ? loose : undefined;
  const packed = tryRead(join(commonDir, 'packed-refs'))?.split('\n') ?? [];
  return packed.find((line) => line.endsWith(` ${ref}`))?.split(' ')[0] ?? null;
}

/** Whether a packed ref is a folder of this one, or the other way round. Git has no such two: as files they could not be. */
export function isPackedBeside({ commonDir }: GitPlace, ref: string): boolean {
  const packed = tryRead(join(commonDir, 'packed-refs')) ?? '';
  const parts = ref.split('/');
  const folders = parts.slice(1).map((_, nth) => parts.slice(0, nth + 1).join('/'));
  return packed.includes(` ${ref}/`) || folders.some((folder) => packed.includes(` ${folder}\n`));
}

const COMMIT = /^[0-9a-f]{40,64}$/;

function tryRead(path: string): string | null {
  try {
    // Files only: reading a FIFO would hang. Most of those that are asked for are missing, and an error takes longer than the look.
    return statSync(path, { throwIfNoEntry: false })?.isFile() === true ? readFileSync(path, 'utf8') : null;
  } catch {
    return null;
  }
}
