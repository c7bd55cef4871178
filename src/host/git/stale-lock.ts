// A killed git leaves its locks, which make every later git fail, and parts of objects. Ralph removes those of its own git, and
// never a person's.
import { lstatSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { namesIn } from '../../files/read-text.ts';
import { currentBranch, findGit, type GitPlace, listWorktrees } from './git-directory.ts';

const LOOKS = 2;
const LOOK_EVERY_MS = 20;

/**
 * Removes the locks of git processes that died since then, and returns their paths. An older lock stays, and so does one that a
 * process may still hold. Without /proc Ralph cannot tell, so all stay.
 */
export async function removeStaleLocks({ root }: { root: string }, since: number): Promise<string[]> {
  const git = findGit(root);
  return git === null ? [] : removeStale(git, lockPaths(git), since);
}

/** The same for partial objects: each may be as large as the file that git was adding. */
export async function removePartialObjects({ root }: { root: string }, since: number): Promise<string[]> {
  const git = findGit(root);
  if (git === null) return [];
  const objects = join(git.commonDir, 'objects');
  const paths = namesIn(objects).flatMap((folder) =>
    namesIn(join(objects, folder)).flatMap((name) =>
      name.startsWith('tmp_') ? [join(objects, folder, name)] : [],
    ),
  );
  return removeStale(git, paths, since);
}

async function removeStale(git: GitPlace, paths: readonly string[], since: number): Promise<string[]> {
  const removed: string[] = [];
  for (const path of paths) {
    const mark = lockMark(path, since);
    if (mark === null) continue;
    const isStale = await holdsFor(
      LOOKS,
      () => lockMark(path, since) === mark && !isGitAtWork(listWorktrees(git)),
    );
    if (!isStale) continue;
    rmSync(path, { force: true });
    removed.push(path);
  }
  return removed;
}

/** The locks of what Ralph itself writes: the index, HEAD, the branch, and its own refs. */
function lockPaths(git: GitPlace): string[] {
  const branch = currentBranch(git);
  const own = [
    ...['', 'base', 'proven', 'work', 'candidate', 'followed', 'shared', 'left', 'pull'].map(
      (folder) => `refs/ralph/${folder}`,
    ),
    // Branches that Ralph lands on.
    'refs/heads/ralph',
  ].map((folder) => join(git.commonDir, folder));
  return [
    join(git.gitDir, 'index.lock'),
    join(git.gitDir, 'HEAD.lock'),
    join(git.commonDir, 'packed-refs.lock'),
    join(git.commonDir, 'gc.pid.lock'),
    ...(branch === null ? [] : [join(git.commonDir, `${branch}.lock`)]),
    ...own.flatMap((folder) =>
      namesIn(folder).flatMap((name) => (name.endsWith('.lock') ? [join(folder, name)] : [])),
    ),
  ];
}

/** Tells a lock from the next one with the same name. Null if there is none, or if it is too old. */
function lockMark(path: string, since: number): string | null {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined || !found.isFile() || found.mtimeMs < since - CLOCK_SLACK_MS) return null;
  return `${found.ino} ${found.mtimeMs}`;
}

/** The clock of a file system may be coarser than Node's. */
const CLOCK_SLACK_MS = 1_000;

/** Looks for git processes, not open files: a git that waits for an editor or a hook has closed its lock but still owns it. */
function isGitAtWork(worktrees: readonly string[]): boolean {
  const ids = namesIn('/proc').filter((name) => /^\d+$/.test(name));
  return ids.length === 0 || ids.some((id) => isGitIn(id, worktrees));
}

function isGitIn(id: string, worktrees: readonly string[]): boolean {
  try {
    if (!/^git(-|$)/.test(readFileSync(`/proc/${id}/comm`, 'utf8').trim())) return false;
    if (/\) [ZX] /.test(readFileSync(`/proc/${id}/stat`, 'utf8'))) return false;
    const folder = readlinkSync(`/proc/${id}/cwd`);
    return worktrees.some((root) => folder === root || folder.startsWith(`${root}/`));
  } catch (error) {
    // Another user's git hides its folder, so it may be here. A process that is gone is not.
    return (error as NodeJS.ErrnoException).code === 'EACCES';
  }
}

async function holdsFor(looks: number, test: () => boolean): Promise<boolean> {
  for (let look = 0; look < looks; look++) {
    if (look > 0) await pause(LOOK_EVERY_MS);
    if (!test()) return false;
  }
  return true;
}
