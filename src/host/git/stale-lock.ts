// A git that was killed leaves its locks, and every later git refuses to work; it leaves parts of objects as well. Ralph's own are
// removed, a person's never.
import { lstatSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { namesIn } from '../../files/read-text.ts';
import { branchOf, findGit, type GitPlace, worktreesOf } from './git-directory.ts';

const LOOKS = 2;
const LOOK_EVERY_MS = 20;

/**
 * Removes the locks of whoever died since then, and answers with their paths. A lock that is older, or that somebody may
 * still hold, stays. Where there is no /proc nobody can tell, so all stay.
 */
export async function removeStaleLocks({ root }: { root: string }, since: number): Promise<string[]> {
  const git = findGit(root);
  return git === null ? [] : removeStale(git, lockPaths(git), since);
}

/** The same for objects that were never finished: each may be as large as the file that was to be added. */
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
    const mark = markOf(path, since);
    if (mark === null) continue;
    const isStale = await holdsFor(
      LOOKS,
      () => markOf(path, since) === mark && !isGitAtWork(worktreesOf(git)),
    );
    if (!isStale) continue;
    rmSync(path, { force: true });
    removed.push(path);
  }
  return removed;
}

/** What Ralph itself writes to: the index, HEAD, the branch, and its own references. */
function lockPaths(git: GitPlace): string[] {
  const branch = branchOf(git);
  const own = ['', 'base', 'proven'].map((folder) => join(git.commonDir, 'refs/ralph', folder));
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

/** Tells one lock from the next of the same name. Null where there is none, or where it is too old to be meant. */
function markOf(path: string, since: number): string | null {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined || !found.isFile() || found.mtimeMs < since - CLOCK_SLACK_MS) return null;
  return `${found.ino} ${found.mtimeMs}`;
}

/** File systems look at the clock less often than Node does. */
const CLOCK_SLACK_MS = 1_000;

/** A git that waits for an editor or a hook has its lock closed but not given up, so the process counts and not who has the file open. */
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
    // Somebody else's git does not show where it is, and may be here; one that is gone is not.
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
