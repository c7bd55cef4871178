// Where git keeps its things, read from files: it costs no process, and nothing of the repository is executed.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { Refusal } from '../../domain/refusal.ts';
import { namesIn } from '../../files/read-text.ts';

/** `gitDir`: this work tree's own, where its index lies; `commonDir`: what all of them share. */
export type GitPlace = { worktree: string; gitDir: string; commonDir: string };

export function findGit(start: string): GitPlace | null {
  for (let folder = resolve(start); ; folder = dirname(folder)) {
    if (isStateOnly(folder)) return null;
    const found = directoriesOf(folder);
    if (found !== null) return { worktree: folder, ...found };
    if (folder === dirname(folder)) return null;
  }
}

/** A `.git` that was removed while a run was at work holds the state that the run put back, and no repository. */
export const isStateOnly = (folder: string): boolean => namesIn(join(folder, '.git')).join('/') === 'ralph';

function directoriesOf(folder: string): Omit<GitPlace, 'worktree'> | null {
  const dotGit = join(folder, '.git');
  const found = statSync(dotGit, { throwIfNoEntry: false });
  if (found === undefined) return null;
  const gitDir = found.isDirectory() ? dotGit : linkedDir(dotGit);
  if (!existsSync(join(gitDir, 'HEAD')))
    throw new Refusal(
      `${dotGit} is no git directory, because its HEAD is missing; repair it, and do not remove it: Ralph's queue is in it.`,
    );
  const common = tryRead(join(gitDir, 'commondir'));
  return { gitDir, commonDir: common === null ? gitDir : resolve(gitDir, common.trim()) };
}

/** Work trees and submodules have a file that says where the directory is. */
function linkedDir(dotGit: string): string {
  const target = /^gitdir: (.+)$/m.exec(tryRead(dotGit) ?? '')?.[1]?.trim();
  const gitDir = target === undefined ? null : resolve(dirname(dotGit), target);
  if (gitDir === null || !statSync(gitDir, { throwIfNoEntry: false })?.isDirectory()) {
    throw new Refusal(`${dotGit} points to no git directory; repair it with: git worktree repair`);
  }
  return gitDir;
}

/** All work trees of the repository: they share its references. */
export function worktreesOf({ worktree, commonDir }: GitPlace): string[] {
  const linked = join(commonDir, 'worktrees');
  const names = existsSync(linked) ? readdirSync(linked) : [];
  const others = names.flatMap((name) => {
    const dotGit = tryRead(join(linked, name, 'gitdir'))?.trim();
    return dotGit === undefined ? [] : [dirname(dotGit)];
  });
  return [...new Set([worktree, dirname(commonDir), ...others])];
}

/** The reference that HEAD is on, as `refs/heads/main`; null where it is on none. */
export const branchOf = ({ gitDir }: GitPlace): string | null =>
  /^ref: (refs\/.+)$/m.exec(tryRead(join(gitDir, 'HEAD')) ?? '')?.[1]?.trim() ?? null;

/** The commit that a reference names: null where there is no such reference, undefined where only git can tell. */
export function commitAt({ commonDir }: GitPlace, ref: string): string | null | undefined {
  if (existsSync(join(commonDir, 'reftable'))) return undefined;
  const loose = tryRead(join(commonDir, ref))?.trim();
  if (loose !== undefined) return COMMIT.test(loose) ? loose : undefined;
  const packed = tryRead(join(commonDir, 'packed-refs'))?.split('\n') ?? [];
  return packed.find((line) => line.endsWith(` ${ref}`))?.split(' ')[0] ?? null;
}

const COMMIT = /^[0-9a-f]{40,64}$/;

function tryRead(path: string): string | null {
  try {
    // A pipe would be waited for, and nobody writes into it.
    return statSync(path).isFile() ? readFileSync(path, 'utf8') : null;
  } catch {
    return null;
  }
}
